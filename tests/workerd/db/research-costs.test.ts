// A research costs once. What goes on with one that went wrong holds what is not paid yet, and nothing else is cheaper for it.
import { beforeEach, describe, expect, test } from 'vitest'
import { costOfGoingOn, type ResearchAnswer } from '../../../worker/contract/research-cost.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { endTurn } from '../../../worker/db/turn-endings.ts'
import { openTurnStatements } from '../../../worker/db/turns.ts'
import { createRng } from '../../support/rng.ts'
import { insert, threadRow } from '../../support/rows.ts'
import { env } from '../bindings.ts'

const { DB } = env
let userId: string
let threadId: string

beforeEach(async () => {
  userId = newId()
  const thread = threadRow(userId)
  threadId = String(thread.id)
  await insert(DB, 'thread', thread)
})

type Told = { readonly ending: 'completed' | 'stopped' | 'interrupted' | 'failed'; readonly charged: boolean }

const broken: Told = { ending: 'failed', charged: true }

/** A research, ended as told; resolves to its id and what it held, in credits and researches. */
async function research(continueId: string | null, told: Told | null, credits = 3): Promise<{ id: string; held: string; kept: string }> {
  const id = newId()
  const turn = { generationId: id, threadId, parentId: 'question', modelId: 'kimi-k2', mode: 'research', continueId } as const
  const limits = { day: 20_000, dailyLimit: 200, search: 0, searchLimit: 50, research: 1, researchLimit: 15 }
  await DB.batch([
    ...openTurnStatements(DB, userId, { ...turn, effort: null, queuedId: null }, { ...limits, credits }, 1),
    DB.prepare("update thread set status = 'submitted', streamId = ? where id = ?").bind(id, threadId),
  ])
  const sums = async () => {
    const sum = await DB.prepare('select sum(credits) credits, sum(research) research from creditLedger where generationId = ?')
      .bind(id)
      .first<{ credits: number; research: number }>()
    return `${sum?.credits} ${sum?.research}`
  }
  const held = await sums()
  if (told) {
    const { ending, charged } = told
    const paid = charged ? Number(held.split(' ')[0]) : 0
    const model = { modelId: 'kimi-k2', modelName: 'Kimi K2', modelIcon: 'moonshot' }
    const parts = charged ? [{ type: 'text', text: 'Tea', state: 'done' } as const] : []
    const answer = { id, role: 'assistant', parts, metadata: { ...model, ending, credits: paid, mode: 'research' } } as const
    const turnEnd = { generationId: id, userId, threadId, parentId: 'question', answer, charged, searched: true, researched: charged }
    await endTurn(env, { ...turnEnd, title: null, endedAtMs: 2 })
  }
  return { id, held, kept: await sums() }
}

const plan = async () => (await research(null, { ending: 'completed', charged: false })).id
const spent = () => DB.prepare('select credits, research from usage where userId = ?').bind(userId).first()

test('one that went wrong after some of its report is paid, and going on with it is free until it is whole', async () => {
  const first = await research(await plan(), broken)
  expect(first).toMatchObject({ held: '3 1', kept: '3 1' })
  const second = await research(first.id, { ending: 'interrupted', charged: true })
  expect(second).toMatchObject({ held: '0 0', kept: '0 0' })
  const third = await research(second.id, { ending: 'completed', charged: true })
  expect(third).toMatchObject({ held: '0 0', kept: '0 0' })
  expect(await spent()).toEqual({ credits: 3, research: 1 })
})

test('one that went wrong before its report is free, so whoever goes on pays', async () => {
  const first = await research(await plan(), { ending: 'failed', charged: false })
  expect(first).toMatchObject({ held: '3 1', kept: '0 0' })
  expect(await research(first.id, { ending: 'completed', charged: true })).toMatchObject({ held: '3 1', kept: '3 1' })
  expect(await spent()).toEqual({ credits: 3, research: 1 })
})

describe('is paid in full', () => {
  test('what goes on with one that its person stopped', async () => {
    const first = await research(await plan(), { ending: 'stopped', charged: true })
    expect(await research(first.id, null)).toMatchObject({ held: '3 1' })
  })

  test('a second report from the same notes', async () => {
    const first = await research(await plan(), broken)
    await research(first.id, { ending: 'completed', charged: true })
    expect(await research(first.id, broken)).toMatchObject({ held: '3 1' })
  })

  test('the same plan carried out again', async () => {
    const planId = await plan()
    await research(planId, broken)
    expect(await research(planId, null)).toMatchObject({ held: '3 1' })
  })

  test('a research of somebody else', async () => {
    const first = await research(await plan(), broken)
    userId = newId()
    const thread = threadRow(userId)
    threadId = String(thread.id)
    await insert(DB, 'thread', thread)
    expect(await research(first.id, null)).toMatchObject({ held: '3 1' })
  })
})

test('a dearer model costs what it costs more, and an attempt that gave nothing takes nothing away', async () => {
  const first = await research(await plan(), broken, 1)
  const dearer = await research(first.id, { ending: 'failed', charged: false }, 5)
  expect(dearer).toMatchObject({ held: '4 0', kept: '0 0' })
  const again = await research(first.id, { ending: 'failed', charged: true }, 5)
  expect(again).toMatchObject({ held: '4 0', kept: '4 0' })
  expect(await research(again.id, null, 5)).toMatchObject({ held: '0 0' })
  expect(await spent()).toEqual({ credits: 5, research: 1 })
})

test.each([1, 2, 3, 4, 5, 6])('[seed %i] what the page names by the answers alone is what the record holds', async (seed) => {
  const rng = createRng(seed)
  const answers: ResearchAnswer[] = []
  const planId = await plan()
  const seen = new Set<string>()
  for (let step = 0; step < 14; step++) {
    const credits = rng.pick([1, 3, 5])
    const continues = answers.length === 0 || rng.chance(0.1) ? planId : rng.pick(answers.slice(-4)).id
    const cost = costOfGoingOn(answers, continues, credits)
    const ending = rng.pick(['failed', 'failed', 'interrupted', 'interrupted', 'completed', 'stopped'] as const)
    const isPaid = ending === 'completed' || rng.chance(0.7)
    const { id, held } = await research(continues, { ending, charged: isPaid }, credits)
    expect(held, `step ${step}`).toBe(`${cost.credits} ${cost.researches}`)
    seen.add(cost.researches > 0 ? 'anew' : cost.credits > 0 ? 'dearer' : 'free')
    answers.push({ id, ending, continues, isPaid, credits: isPaid ? cost.credits : 0 })
  }
  expect([...seen]).toEqual(expect.arrayContaining(['anew', 'free']))
})
