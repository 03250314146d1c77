// kill -9 during answers that search: during the search, between the search and the next step, and in the text that follows. Every thread
// becomes ready, received text is stored, and a search counts only if it was answered.
import { expect, test } from 'vitest'
import { newGuest } from '../support/guest.ts'
import { startGatewayPeer } from '../support/peers/gateway.ts'
import type { Script } from '../support/peers/peer-server.ts'
import { type SearchBehaviour, startSearchPeer } from '../support/peers/search.ts'
import { startProduct, unlimitedWrites } from '../support/product.ts'
import { auditRecord, openAnswerObjects, openRecord } from '../support/record-file.ts'
import { connectRaw, sendArgs } from './attack-wire.ts'

const queries = [{ hash: 'recent', name: 'threads.recent', args: [] }]
/** Practically endless. */
const words = Array.from({ length: 20_000 }, (_, index) => `word${index} `)

/** The step of a turn at the kill, with its state then and afterwards. */
const expectedOutcomes = {
  searching: { isAnswered: false, hasWords: false },
  searched: { isAnswered: true, hasWords: false },
  writing: { isAnswered: true, hasWords: true },
  'failed-search': { isAnswered: false, hasWords: false },
  'failed-writing': { isAnswered: false, hasWords: true },
} as const
type Step = keyof typeof expectedOutcomes
const steps = Object.keys(expectedOutcomes) as Step[]
const stepIn = (text: string): Step | undefined => steps.find((step) => text.includes(`step-of-${step} `))

const model: Script = ({ body, streaming }) => {
  const text = JSON.stringify(body)
  const step = stepIn(text)
  if (!streaming) return { kind: 'answer', words: ['Title'] }
  if (step === undefined || text.includes('And now?')) return { kind: 'answer', words: ['Here', ' again'] }
  const asked = /step-of-\S+ [\w-]+/.exec(text)?.[0]
  if (!text.includes('"tool-result"')) return { kind: 'tools', calls: [{ name: 'search', input: JSON.stringify({ query: asked }) }] }
  return expectedOutcomes[step].hasWords ? { kind: 'answer', words, delayMs: 5 } : { kind: 'mute' }
}

const searchProvider = (query: string): SearchBehaviour => {
  const step = stepIn(query)
  if (step === 'searching') return { kind: 'stall' }
  if (step?.startsWith('failed')) return { kind: 'status', status: 500 }
  return { kind: 'results', results: [{ title: 'Tea', url: 'https://page.invalid/tea', text: 'A plant.' }] }
}

test('kill -9 with answers at every step of a search', { timeout: 180_000 }, async () => {
  const [gateway, search] = await Promise.all([startGatewayPeer(model), startSearchPeer(searchProvider)])
  const connections = { AI_GATEWAY_API_KEY: 'key', AI_GATEWAY_URL: gateway.url, SEARCH_URL: search.url, SEARCH_API_KEY: search.key }
  const product = await startProduct({ env: { ...unlimitedWrites, ...connections } })
  try {
    const guest = await newGuest(product.url)
    const wire = await connectRaw(guest, { queries })
    const turns = steps.map((step) => {
      const args = sendArgs()
      return { step, ...args, mode: 'search', text: `step-of-${step} ${args.answerId}` }
    })
    for (const { step: _, ...args } of turns) expect(await wire.mutate('threads.send', args)).toBeNull()
    const searchesFor = (text: string) => search.asked.filter(({ query }) => query === text).length
    const callsFor = (text: string) =>
      gateway.requests.filter(({ streaming, body }) => streaming && JSON.stringify(body).includes(text)).length
    const notYetThere = () => {
      const written = writtenIn(product.stateDir)
      return turns.flatMap(({ step, text, answerId }) => {
        const isUnderWay = step === 'searching' ? searchesFor(text) === 1 : callsFor(text) === 2
        return isUnderWay && (!expectedOutcomes[step].hasWords || written.has(answerId)) ? [] : [step]
      })
    }
    await expect.poll(notYetThere, { interval: 100, timeout: 60_000 }).toEqual([])
    await product.kill9()
    expect(await auditRecord(product.stateDir)).toEqual([])
    await product.restart()

    // No client is connected: the alarms alone complete the turns.
    await expect.poll(() => busyIn(product.stateDir), { interval: 100, timeout: 60_000 }).toBe(0)
    for (const { step, text, answerId } of turns) {
      const { isAnswered, hasWords } = expectedOutcomes[step]
      const outcome = outcomeOf(product.stateDir, answerId)
      const counts = { status: 'interrupted', credits: hasWords ? 1 : 0, search: isAnswered && hasWords ? 1 : 0 }
      expect(outcome, step).toMatchObject({ ...counts, named: counts.credits })
      expect([words.join('').startsWith(outcome.text), outcome.text !== ''], step).toEqual([true, hasWords])
      // Continuing repeats no request.
      expect([searchesFor(text), callsFor(text)], step).toEqual([1, step === 'searching' ? 1 : 2])
    }
    expect(usageOf(product.stateDir, guest.userId)).toEqual({ credits: 2, search: 1 })

    const again = await connectRaw(guest, { queries })
    for (const { threadId, answerId } of turns) {
      const { answerId: nextId, ...more } = sendArgs({ text: 'And now?' })
      expect(await again.mutate('threads.send', { ...more, answerId: nextId, threadId, parentId: answerId })).toBeNull()
      await again.until(() => again.rows.has(`message ${nextId}`), 'an answer after all')
    }
    await again.close()
  } finally {
    await Promise.all([gateway.stop(), search.stop()])
    await product.stop()
  }
})

/** Generations with text in their object's storage. */
function writtenIn(stateDir: string): ReadonlySet<unknown> {
  const written = new Set<unknown>()
  for (const object of openAnswerObjects(stateDir)) {
    for (const { id } of object
      .prepare(`select turn ->> '$.generationId' id from turn where exists (select 1 from segment where lines like '%text-delta%')`)
      .all())
      written.add(id)
    object.close()
  }
  return written
}

function asked<T>(stateDir: string, read: (record: ReturnType<typeof openRecord>) => T): T {
  const record = openRecord(stateDir, true)
  try {
    return read(record)
  } finally {
    record.close()
  }
}

const busyIn = (stateDir: string) =>
  asked(stateDir, (record) => record.prepare("select 1 from thread where status <> 'ready'").all().length)

const usageOf = (stateDir: string, userId: string) =>
  asked(stateDir, (record) => ({ ...record.prepare('select credits, search from usage where userId = ?').get(userId) }))

const outcomeOf = (stateDir: string, answerId: string) =>
  asked(stateDir, (record) => {
    const row = record
      .prepare(
        `select generation.status, json_extract(message.message, '$.metadata.credits') named,
           (select sum(credits) from creditLedger where generationId = generation.id) credits,
           (select sum(search) from creditLedger where generationId = generation.id) search,
           (select group_concat(json_extract(value, '$.text'), '') from json_each(message.message, '$.parts') where json_extract(value, '$.type') = 'text') text
         from generation join message on message.id = generation.id where generation.id = ?`,
      )
      .get(answerId)
    return { ...row, text: String(row?.text ?? '') }
  })
