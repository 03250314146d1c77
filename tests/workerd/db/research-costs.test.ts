// A research is charged once. Continuing a failed one reserves only the unpaid part, and nothing else becomes cheaper by it.
import { beforeEach, describe, expect, test } from 'vitest'
import { turnEnding } from '../../../worker/chat/turn/settlement.ts'
import { continuationCost } from '../../../worker/contract/research/research-cost.ts'
import type { StreamChunk } from '../../../worker/contract/threads/message-stream.ts'
import type { AnswerMessage, Ending } from '../../../worker/contract/threads/messages.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { newUserId } from '../../../worker/db/shards.ts'
import { endTurn } from '../../../worker/db/turn-endings.ts'
import { openTurnStatements } from '../../../worker/db/turns.ts'
import { createRng } from '../../support/rng.ts'
import { insert, threadRow } from '../../support/rows.ts'
import { content, env } from '../bindings.ts'

let userId: string
let threadId: string

beforeEach(async () => {
  userId = newUserId(env)
  const thread = threadRow(userId)
  threadId = String(thread.id)
  await insert(content, 'thread', thread)
  shown.clear()
})

type Outcome = { readonly ending: Ending; readonly charged: boolean }

const broken: Outcome = { ending: 'failed', charged: true }

/** The answers as shown on the user's pages, which do not show deleted ones. */
const shown = new Map<string, AnswerMessage>()
const paidOf = (id: string | null) => shown.get(id ?? '')?.metadata.paid

/** A research with the given ending; resolves with its id, the price shown, and the reserved and charged credits and researches. */
async function research(continueId: string | null, outcome: Outcome | null, credits = 3) {
  const id = newId()
  const cost = continuationCost(paidOf(continueId), credits)
  const paid = paidOf(continueId) ?? null
  const turn = { generationId: id, threadId, parentId: 'question', modelId: 'kimi-k2', mode: 'research', continueId } as const
  const limits = { day: 20_000, dailyLimit: 200, research: 1, researchLimit: 15 }
  await content.batch([
    ...openTurnStatements(
      content,
      userId,
      { ...turn, effort: null, queuedId: null, objectId: 'an object' },
      { ...limits, credits, minimum: credits, expected: credits },
      1,
    ),
    content.prepare("update thread set status = 'submitted', streamId = ? where id = ?").bind(id, threadId),
  ])
  const sums = async () => {
    const sum = await content
      .prepare('select sum(credits) credits, sum(research) research from creditLedger where generationId = ?')
      .bind(id)
      .first<{ credits: number; research: number }>()
    return `${sum?.credits} ${sum?.research}`
  }
  const held = await sums()
  if (outcome) {
    const model = { id: 'kimi-k2', name: 'Kimi K2', icon: 'moonshot', credits: Number(held.split(' ')[0]) }
    const written = { ...turn, userId, model, paid, demo: false, title: null, givenChunks: 0, startedAtMs: 1, requestSent: outcome.charged }
    const chunks: StreamChunk[] = outcome.charged ? [{ type: 'text-delta', id: '1', delta: 'Tea' }] : []
    await endTurn(env, turnEnding(written, { ending: outcome.ending, failure: null, endedAtMs: 2 }, chunks, null))
    await look()
  }
  return { id, named: `${cost.credits} ${cost.researches}`, held, kept: await sums() }
}

async function look(): Promise<void> {
  const { results } = await content.prepare('select id, message from message where threadId = ? and deletedAt is null').bind(threadId).all()
  shown.clear()
  for (const { id, message } of results) shown.set(String(id), JSON.parse(String(message)))
}

async function remove(id: string, deletedAt: number | null = 3): Promise<void> {
  await content.prepare('update message set deletedAt = ? where id = ?').bind(deletedAt, id).run()
  await look()
}

const plan = async () => (await research(null, { ending: 'completed', charged: false })).id
const spent = () => content.prepare('select credits, research from usage where userId = ?').bind(userId).first()

test('one that failed during its report is charged, and continuing it is free until it completes', async () => {
  const first = await research(await plan(), broken)
  expect(first).toMatchObject({ held: '3 1', kept: '3 1' })
  const second = await research(first.id, { ending: 'interrupted', charged: true })
  expect(second).toMatchObject({ held: '0 0', kept: '0 0' })
  const third = await research(second.id, { ending: 'completed', charged: true })
  expect(third).toMatchObject({ held: '0 0', kept: '0 0' })
  expect(await spent()).toEqual({ credits: 3, research: 1 })
})

test('one that failed before its report is free, so continuing it is charged', async () => {
  const first = await research(await plan(), { ending: 'failed', charged: false })
  expect(first).toMatchObject({ held: '3 1', kept: '0 0' })
  expect(await research(first.id, { ending: 'completed', charged: true })).toMatchObject({ held: '3 1', kept: '3 1' })
  expect(await spent()).toEqual({ credits: 3, research: 1 })
})

describe('is charged in full', () => {
  test('continuing one that the user stopped', async () => {
    const first = await research(await plan(), { ending: 'stopped', charged: true })
    expect(await research(first.id, null)).toMatchObject({ held: '3 1' })
  })

  test('a second report from the same notes', async () => {
    const first = await research(await plan(), broken)
    await research(first.id, { ending: 'completed', charged: true })
    expect(await research(first.id, broken)).toMatchObject({ held: '3 1' })
  })

  test('carrying out the same plan again', async () => {
    const planId = await plan()
    await research(planId, broken)
    expect(await research(planId, null)).toMatchObject({ held: '3 1' })
  })

  test('a research of another user', async () => {
    const first = await research(await plan(), broken)
    userId = newUserId(env)
    const thread = threadRow(userId)
    threadId = String(thread.id)
    await insert(content, 'thread', thread)
    expect(await research(first.id, null)).toMatchObject({ held: '3 1' })
  })
})

test('a more expensive model costs the difference, and an attempt without content changes nothing', async () => {
  const first = await research(await plan(), broken, 1)
  const dearer = await research(first.id, { ending: 'failed', charged: false }, 5)
  expect(dearer).toMatchObject({ held: '4 0', kept: '0 0' })
  const again = await research(first.id, { ending: 'failed', charged: true }, 5)
  expect(again).toMatchObject({ held: '4 0', kept: '4 0' })
  expect(await research(again.id, null, 5)).toMatchObject({ held: '0 0' })
  expect(await spent()).toEqual({ credits: 5, research: 1 })
})

test('the payment stays valid after deletion, and an attempt without content passes it on', async () => {
  const first = await research(await plan(), broken)
  const whole = await research(first.id, { ending: 'completed', charged: true })
  await remove(whole.id)
  expect(await research(first.id, null)).toMatchObject({ named: '3 1', held: '3 1' })
})

test('an attempt without content can be continued for free, even if the one before it is deleted; only one of them is paid', async () => {
  const first = await research(await plan(), broken)
  const empty = await research(first.id, { ending: 'interrupted', charged: false })
  await remove(first.id)
  const whole = await research(empty.id, { ending: 'completed', charged: true })
  expect(whole).toMatchObject({ named: '0 0', held: '0 0' })
  await remove(first.id, null)
  for (const { id } of [first, empty])
    expect(await research(id, { ending: 'failed', charged: false })).toMatchObject({ named: '3 1', held: '3 1' })
  expect(await spent()).toEqual({ credits: 3, research: 1 })
})

test('one stopped before its first word passes the payment on, and one stopped later does not', async () => {
  const first = await research(await plan(), broken)
  const stopped = await research(first.id, { ending: 'stopped', charged: false })
  expect(stopped).toMatchObject({ held: '0 0', kept: '0 0' })
  const begun = await research(stopped.id, { ending: 'stopped', charged: true })
  expect(begun).toMatchObject({ named: '0 0', held: '0 0', kept: '0 0' })
  for (const { id } of [first, stopped, begun])
    expect(await research(id, { ending: 'failed', charged: false })).toMatchObject({ named: '3 1', held: '3 1' })
})

test('one that was charged again and failed is paid: continuing it costs nothing more', async () => {
  const first = await research(await plan(), broken)
  await research(first.id, { ending: 'completed', charged: true })
  const another = await research(first.id, broken)
  expect(another).toMatchObject({ held: '3 1' })
  expect(await research(another.id, null)).toMatchObject({ named: '0 0', held: '0 0' })
})

test.each([1, 2, 3, 4, 5, 6])(
  '[seed %i] the shown price equals the database’s, and there are never more reports than paid researches',
  async (seed) => {
    const rng = createRng(seed)
    const known = [await plan()]
    const seen = new Set<string>()
    let reports = 0
    for (let step = 0; step < 24; step++) {
      const left = known.filter((id) => shown.has(id))
      const ending = rng.pick(['failed', 'failed', 'interrupted', 'interrupted', 'completed', 'stopped'] as const)
      const charged = ending === 'completed' || rng.chance(0.7)
      const from = rng.pick(left.slice(-4))
      const paid = paidOf(from)
      const made = await research(from, { ending, charged }, rng.pick([1, 3, 5]))
      expect(made.held, `step ${step}`).toBe(made.named)
      if (!charged) expect(paidOf(made.id), `step ${step}`).toEqual(paid)
      if (charged && (ending === 'completed' || ending === 'stopped')) reports += 1
      seen.add(made.held.endsWith('1') ? 'anew' : made.held.startsWith('0') ? 'free' : 'dearer')
      known.push(made.id)
      // Except the plan: something must remain to continue.
      const isTaken = rng.chance(0.5)
      await remove(rng.pick(isTaken ? [...left.slice(1), made.id] : known), isTaken ? 3 : null)
      const { research: counted } = (await spent()) as { research: number }
      expect(reports, `step ${step}`).toBeLessThanOrEqual(counted)
    }
    expect([...seen]).toEqual(expect.arrayContaining(['anew', 'free']))
  },
)
