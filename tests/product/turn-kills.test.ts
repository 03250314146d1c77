// kill -9 with turns at every step: just sent, waiting for the first word, in the middle of the text, waiting for the title, being stopped.
// Soon after the restart every thread is ready and every credit is accounted for.
import { expect, test } from 'vitest'
import { newGuest } from '../support/guest.ts'
import { startGatewayPeer } from '../support/peers/gateway.ts'
import type { Script } from '../support/peers/peer-server.ts'
import { startProduct, unlimitedWrites } from '../support/product.ts'
import { auditRecord, openAnswerObjects, openRecord } from '../support/record-file.ts'
import { createRng } from '../support/rng.ts'
import { connectRaw, sendArgs } from './attack-wire.ts'

const rounds = process.env.PARLEY_LONG ? 100 : 1
const users = 3
const queries = [{ hash: 'recent', name: 'threads.recent', args: [] }]

/** The step of a turn at the kill. `stopped`: in the middle of its text, and stopped just before. */
const steps = ['first-word', 'words', 'stopped', 'title'] as const
/** Practically endless: no answer may end while the others start. */
const words = Array.from({ length: 20_000 }, (_, index) => `word${index} `)
const fewWords = words.slice(0, 20)

const script: Script = ({ body, streaming }) => {
  const [step] = /step-of-(first-word|words|stopped|title|sent)/.exec(JSON.stringify(body))?.slice(1) ?? []
  if (!streaming) return step === 'title' ? { kind: 'mute' } : { kind: 'answer', words: ['Title'] }
  if (step === 'first-word') return { kind: 'mute' }
  return step === 'title' || step === 'sent' ? { kind: 'answer', words: fewWords } : { kind: 'answer', words, delayMs: 5 }
}

type Turn = { readonly step: string; readonly threadId: string; readonly answerId: string }

test(`${rounds} kills with turns at every step`, { timeout: rounds * 180_000 }, async () => {
  const rng = createRng(7)
  const peer = await startGatewayPeer(script)
  const product = await startProduct({ env: { ...unlimitedWrites, AI_GATEWAY_API_KEY: 'key', AI_GATEWAY_URL: peer.url } })
  try {
    for (let round = 0; round < rounds; round++) {
      const guests = await Promise.all(Array.from({ length: users }, () => newGuest(product.url)))
      const wires = await Promise.all(guests.map((guest) => connectRaw(guest, { queries })))
      const turns: Turn[] = []
      const send = async (at: number, step: string): Promise<void> => {
        const args = sendArgs()
        turns.push({ step, threadId: args.threadId, answerId: args.answerId })
        await wires[at]?.mutate('threads.send', { ...args, text: `step-of-${step} ${args.answerId}` })
      }
      await Promise.all(wires.flatMap((_wire, at) => steps.map((step) => send(at, step))))
      // All of them have started and stored their first text, however slow the machine is.
      const begun = () => peer.requests.filter(({ streaming, body }) => streaming && turns.some((turn) => isRequestOf(body, turn))).length
      await expect.poll(begun, { interval: 5, timeout: 60_000 }).toBe(turns.length)
      await expect.poll(() => notYetThere(product.stateDir, turns), { interval: 100, timeout: 60_000 }).toEqual([])
      await new Promise((resolve) => setTimeout(resolve, rng.below(300)))
      for (const [at, wire] of wires.entries()) {
        for (const { step, threadId } of turns.slice())
          if (step === 'stopped') void wire.mutate('threads.stop', { threadId }).catch(() => null)
        for (let i = 0; i < 3; i++) void send(at, 'sent').catch(() => null)
      }
      await new Promise((resolve) => setTimeout(resolve, rng.below(12)))
      await product.kill9()
      expect(await auditRecord(product.stateDir)).toEqual([])
      await product.restart()

      // No client is connected: the alarms alone complete the turns.
      const left = () => {
        const record = openRecord(product.stateDir, true)
        const rows = record.prepare("select id from thread where status <> 'ready'").all()
        record.close()
        return rows.length
      }
      await expect.poll(left, { interval: 100 }).toBe(0)
      expectOutcomes(product.stateDir, turns)
    }
  } finally {
    await peer.stop()
    await product.stop()
  }
})

const isRequestOf = (body: object, { answerId }: Turn): boolean => JSON.stringify(body).includes(`${answerId}"`)

/** Turns that have not reached their step: the order or text in their object's storage, or the complete answer in the database. */
function notYetThere(stateDir: string, turns: readonly Turn[]): string[] {
  const there = new Set<unknown>()
  const ordered = new Set<unknown>()
  for (const object of openAnswerObjects(stateDir)) {
    for (const { id } of object.prepare("select turn ->> '$.generationId' id from turn").all()) ordered.add(id)
    const rows = object
      .prepare(`select turn ->> '$.generationId' id from turn where exists (select 1 from segment where lines like '%text-delta%')`)
      .all()
    for (const { id } of rows) there.add(id)
    object.close()
  }
  const record = openRecord(stateDir, true)
  const completed = new Set(
    record
      .prepare("select id from generation where status = 'completed'")
      .all()
      .map(({ id }) => id),
  )
  record.close()
  const isThere = ({ step, answerId }: Turn) => (step === 'first-word' ? ordered : step === 'title' ? completed : there).has(answerId)
  return turns.flatMap((turn) => (isThere(turn) ? [] : [turn.step]))
}

function expectOutcomes(stateDir: string, turns: readonly Turn[]): void {
  const record = openRecord(stateDir, true)
  const find = record.prepare(
    `select generation.status, json_extract(message.message, '$.metadata.credits') credits,
       (select group_concat(json_extract(value, '$.text'), '') from json_each(message.message, '$.parts') where json_extract(value, '$.type') = 'text') text
     from generation join message on message.id = generation.id where generation.id = ?`,
  )
  for (const { step, answerId } of turns) {
    const { status, credits, text } = { status: null, credits: null, text: null, ...find.get(answerId) }
    const kept = String(text ?? '')
    const whole = (step === 'title' || step === 'sent' ? fewWords : words).join('')
    expect(whole.startsWith(kept), step).toBe(true)
    // A message in transit at the kill exists once or never; the browser would resend it.
    if (step === 'sent') expect([null, 'completed', 'interrupted']).toContain(status)
    if (step === 'first-word') expect([status, credits, kept]).toEqual(['interrupted', 0, ''])
    if (step === 'words') expect([status, credits, kept === '']).toEqual(['interrupted', 1, false])
    if (step === 'stopped') expect([['interrupted', 'stopped'].includes(String(status)), credits]).toEqual([true, 1])
    if (step === 'title') expect([status, credits, kept]).toEqual(['completed', 1, fewWords.join('')])
  }
  record.close()
}
