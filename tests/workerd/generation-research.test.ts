// A research in the real object on the real D1: its plan, its steps, crash recovery, and its use of the daily limit.

import { describe, expect, test, vi } from 'vitest'
import { generationMaxMs } from '../../worker/contract/limits.ts'
import { isToolPart } from '../../worker/contract/models/tools.ts'
import { planTool, type ResearchPlan, researchPlanOf } from '../../worker/contract/research/research.ts'
import { findingsOf } from '../../worker/contract/research/research-calls.ts'
import { applyChunk } from '../../worker/contract/threads/message-stream.ts'
import type { MessagePart, ToolPart } from '../../worker/contract/threads/messages.ts'
import { sourcesOf } from '../../worker/contract/threads/sources.ts'
import type { StartTurn } from '../../worker/contract/threads/turn.ts'
import { content } from './bindings.ts'
import { saying, stubProvider } from './provider.ts'
import { evict, fireAlarm, generationOf, givenTurn, inside, kill, openStream, readEvents, recordOf, textIn, untilEnded } from './turns.ts'

const plan: ResearchPlan = {
  steps: [
    { id: 'step-1', text: 'Why the tides come', queries: ['tides'] },
    { id: 'step-2', text: 'How bread rises', queries: ['bread', 'yeast'] },
    { id: 'step-3', text: 'tea', queries: [] },
  ],
}
const planPart = (value: ResearchPlan): ToolPart => ({
  type: `tool-${planTool}`,
  toolCallId: planTool,
  state: 'output-available',
  input: {},
  output: value,
})

const counts = async ({ userId, generationId }: StartTurn) => ({
  usage: await content.prepare('select credits, research from usage where userId = ?').bind(userId).first(),
  ledger: (
    await content.prepare('select kind, credits, research from creditLedger where generationId = ? order by rowid').bind(generationId).all()
  ).results.map(({ kind, credits, research }) => `${kind} ${credits} ${research}`),
})

const calls = (parts: readonly MessagePart[] = []) => parts.filter(isToolPart).map(({ toolCallId, state }) => `${toolCallId} ${state}`)
const approved = (text = '/demo delay=0', continued: readonly MessagePart[] = [planPart(plan)]) =>
  givenTurn(text, { mode: 'research', continued, needsTitle: false })

async function answered(turn: StartTurn) {
  await untilEnded(turn)
  return { ...(await recordOf(turn)), ...(await counts(turn)) }
}

/** Ends the object when the given call has its result, or has started. */
async function killAt(turn: StartTurn, type: 'tool-input-available' | 'tool-output-available' | 'text-delta', id = '') {
  await readEvents(await openStream(turn), (events) =>
    events.some(({ type: kind, ...event }) => {
      if (kind !== 'chunk' || !('chunk' in event) || event.chunk.type !== type) return false
      return !('toolCallId' in event.chunk) || event.chunk.toolCallId === id
    }),
  )
  await kill(turn)
}

/** All calls started in the log, including repetitions, and all results. */
async function logOf(turn: StartTurn) {
  const events = await readEvents(await openStream(turn))
  const chunks = events.flatMap((event) => (event.type === 'chunk' ? [event.chunk] : []))
  return {
    results: chunks.flatMap((chunk) => (chunk.type === 'tool-output-available' ? [chunk.toolCallId] : [])),
    parts: chunks.reduce<readonly MessagePart[]>(applyChunk, []),
  }
}

describe.concurrent('a plan', () => {
  test('is an answer without searches and without cost', async () => {
    const turn = await givenTurn('/demo delay=0 search=why do tides follow the moon?', { mode: 'research' })
    await generationOf(turn).start(turn)
    const { answer, usage, ledger, generation } = await answered(turn)
    expect(generation).toEqual({ status: 'completed', error: null })
    expect(calls(answer?.parts)).toEqual(['plan output-available'])
    expect(researchPlanOf(answer?.parts ?? [])?.steps).toMatchObject([
      { id: 'step-1', text: 'What is known: why do tides follow the moon', queries: ['why do tides follow the moon'] },
      { id: 'step-2', queries: ['why do tides follow the moon: causes', 'why do tides follow the moon: history'] },
      { id: 'step-3' },
    ])
    expect(answer?.metadata).toMatchObject({ mode: 'research', credits: 0 })
    expect({ usage, ledger }).toEqual({ usage: { credits: 0, research: 0 }, ledger: ['reserve 3 1', 'release -3 -1'] })
  })

  test('that failed is free as well', async () => {
    const turn = await givenTurn('/demo fail=start', { mode: 'research' })
    await generationOf(turn).start(turn)
    const { generation, ledger } = await answered(turn)
    expect(generation).toEqual({ status: 'failed', error: 'model_error' })
    expect(ledger).toEqual(['reserve 3 1', 'release -3 -1'])
  })
})

describe.concurrent('an approved plan', () => {
  test('is carried out step by step and ends in a cited answer; it counts one research', async () => {
    const turn = await approved()
    await generationOf(turn).start(turn)
    const { answer, usage, ledger } = await answered(turn)
    const parts = answer?.parts ?? []
    expect(calls(parts).filter((call) => !call.startsWith('page-'))).toEqual([
      'plan output-available',
      'search-step-1-0 output-available',
      'findings-step-1 output-available',
      'search-step-2-0 output-available',
      'search-step-2-1 output-available',
      'findings-step-2 output-available',
      'search-step-3-0 output-available',
      'findings-step-3 output-available',
    ])
    expect(parts.filter(isToolPart).find(({ toolCallId }) => toolCallId === 'search-step-3-0')?.input).toEqual({
      query: 'tea',
      step: 'step-3',
    })
    const numbers = sourcesOf(parts).map(({ number }) => number)
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
    const cited = [...textIn(parts).matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number))
    expect(cited.length).toBeGreaterThan(2)
    expect(cited.every((number) => numbers.includes(number))).toBe(true)
    expect(JSON.stringify(parts)).not.toContain('The crust browns last')
    expect(answer?.metadata).toMatchObject({ mode: 'research', ending: 'completed', credits: 3 })
    expect({ usage, ledger }).toEqual({ usage: { credits: 3, research: 1 }, ledger: ['reserve 3 1', 'settle 0 0'] })
  })

  test('whose searches all fail ends without an answer and without a charge', async () => {
    const turn = await approved('/demo delay=0', [planPart({ steps: [{ id: 'step-1', text: 'fail', queries: ['fail a', 'fail b'] }] })])
    await generationOf(turn).start(turn)
    const { answer, generation, ledger } = await answered(turn)
    expect(generation).toEqual({ status: 'failed', error: 'search_failed' })
    expect(calls(answer?.parts)).toEqual(['plan output-available', 'search-step-1-0 output-error', 'search-step-1-1 output-error'])
    expect(ledger).toEqual(['reserve 3 1', 'release -3 -1'])
  })

  test('distinguishes a step without results from a failed search', async () => {
    const steps = [
      { id: 'a', text: 'nothing', queries: [] },
      { id: 'b', text: 'fail', queries: [] },
      { id: 'c', text: 'tea', queries: [] },
    ]
    const turn = await approved('/demo delay=0', [planPart({ steps })])
    await generationOf(turn).start(turn)
    const text = textIn((await answered(turn)).answer?.parts ?? [])
    expect(text).toMatch(/### nothing\s+\(Nothing was found\.\)/)
    expect(text).toMatch(/### fail\s+\(The searches of this step failed\.\)/)
  })

  test('stopped in the middle keeps its findings, and another answer continues it', async () => {
    const turn = await approved('/demo delay=5')
    await generationOf(turn).start(turn)
    await readEvents(await openStream(turn), (events) =>
      events.some(
        (event) => event.type === 'chunk' && event.chunk.type === 'tool-output-available' && event.chunk.toolCallId === 'findings-step-1',
      ),
    )
    await generationOf(turn).stop(turn.generationId, turn.userId)
    const { answer, ledger } = await answered(turn)
    expect(answer?.metadata).toMatchObject({ ending: 'stopped', credits: 3 })
    expect(ledger).toEqual(['reserve 3 1', 'settle 0 0'])
    const next = await approved('/demo delay=0', answer?.parts ?? [])
    await generationOf(next).start(next)
    const done = await answered(next)
    expect(done.answer?.metadata.ending).toBe('completed')
    const first = (parts: readonly MessagePart[] = []) =>
      parts.filter(isToolPart).find(({ toolCallId }) => toolCallId === 'findings-step-1')
    expect(first(done.answer?.parts)).toEqual(first(answer?.parts))
    expect((await logOf(next)).results.filter((id) => id === 'search-step-1-0')).toHaveLength(1)
  })

  test('stopped after its first request is charged and counts one research', async () => {
    const turn = await approved('/demo delay=1000')
    await generationOf(turn).start(turn)
    await generationOf(turn).stop(turn.generationId, turn.userId)
    expect((await answered(turn)).ledger).toEqual(['reserve 3 1', 'settle 0 0'])
  })
})

describe('an object that dies', () => {
  const moments = [
    ['tool-input-available', 'search-step-1-0'],
    ['tool-output-available', 'search-step-1-0'],
    ['tool-input-available', 'page-step-1-0'],
    ['tool-output-available', 'page-step-1-0'],
    ['tool-input-available', 'findings-step-1'],
    ['tool-output-available', 'findings-step-2'],
    ['text-delta', ''],
  ] as const

  const shortPlan = [planPart({ steps: plan.steps.slice(0, 2) })]
  const wordsOf = (parts: readonly MessagePart[] = []) => textIn(parts).replace(/^> .*$/m, '')

  // Concurrent: each takes as long as its searches.
  test('continues, and repeats no call that had a result', async () => {
    const undisturbed = await approved('/demo delay=0', shortPlan)
    await generationOf(undisturbed).start(undisturbed)
    const expected = wordsOf((await answered(undisturbed)).answer?.parts)
    expect(expected).toContain('[1]')
    await Promise.all(
      moments.map(async ([type, id]) => {
        const moment = `${type} ${id}`
        const turn = await approved('/demo delay=2', shortPlan)
        await generationOf(turn).start(turn)
        await killAt(turn, type, id)
        await fireAlarm(turn)
        const { results, parts } = await logOf(turn)
        expect(results, moment).toEqual([...new Set(results)])
        const { answer, ledger, answers } = await answered(turn)
        expect(answer?.metadata, moment).toMatchObject({ ending: 'completed', credits: 3 })
        expect(answers, moment).toBe(1)
        expect(answer?.parts, moment).toEqual(parts)
        expect(wordsOf(parts), moment).toBe(expected)
        expect(parts.filter(isToolPart).map(findingsOf).filter(Boolean), moment).toHaveLength(2)
        expect(ledger, moment).toEqual(['reserve 3 1', 'settle 0 0'])
      }),
    )
  })

  test('repeatedly is ended at last, with its findings', async () => {
    const turn = await approved('/demo delay=60000')
    await generationOf(turn).start(turn)
    for (let death = 0; death < 12; death++) {
      await kill(turn)
      await fireAlarm(turn)
    }
    const { generation, ledger } = await answered(turn)
    expect(generation?.status).toBe('interrupted')
    expect(ledger).toEqual(['reserve 3 1', 'release -3 -1'])
  })

  test('after more than a row can hold is ended, truncated and charged; no model is called for content that does not fit', async () => {
    const turn = await approved('/demo delay=2', [planPart({ steps: plan.steps.slice(2) })])
    await generationOf(turn).start(turn)
    await killAt(turn, 'tool-output-available', 'findings-step-3')
    const lines = JSON.stringify({ type: 'text-delta', id: '1', delta: 'x'.repeat(900_000) })
    await inside(turn, (_generation, { storage: { sql } }) => {
      const { last } = sql.exec<{ last: number }>('select max(toChunk) last from segment').one()
      for (const at of [1, 2, 3].map((more) => last + more)) sql.exec('insert into segment values (?, ?, ?)', at, at, lines)
    })
    // The next instance reads the stored state.
    await kill(turn)
    const asked = await inside(turn, (generation, state) => {
      generation.reachGateway()
      return stubProvider(state, async () => saying('more'))
    })
    await fireAlarm(turn)
    const { answer, ledger, generation, thread } = await answered(turn)
    vi.unstubAllGlobals()
    expect(asked).toEqual([])
    expect([thread?.status, generation]).toEqual(['ready', { status: 'failed', error: 'answer_too_long' }])
    expect(answer?.metadata).toMatchObject({ ending: 'failed', failure: { code: 'answer_too_long' }, credits: 3 })
    // On a busy machine the first words of the report are stored before the object is killed.
    expect(/x{1000,}$/.exec(textIn(answer?.parts ?? []))?.[0]).toHaveLength(900_000)
    expect(ledger).toEqual(['reserve 3 1', 'settle 0 0'])
  })

  test('or is cut off by the platform’s time limit continues in the next call', async () => {
    const turn = await approved('/demo delay=4', shortPlan)
    await generationOf(turn).start(turn)
    await readEvents(await openStream(turn), (events) =>
      events.some(
        (event) => event.type === 'chunk' && event.chunk.type === 'tool-input-available' && event.chunk.toolCallId === 'findings-step-1',
      ),
    )
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + generationMaxMs })
    await fireAlarm(turn)
    vi.useRealTimers()
    const { results, parts } = await logOf(turn)
    expect(results).toEqual([...new Set(results)])
    const { answer, ledger } = await answered(turn)
    expect(answer?.metadata.ending).toBe('completed')
    expect(parts.filter(isToolPart).map(findingsOf).filter(Boolean)).toHaveLength(2)
    expect(ledger).toEqual(['reserve 3 1', 'settle 0 0'])
  })

  test('by eviction after its end does not start again', async () => {
    const turn = await approved('/demo delay=0', [planPart({ steps: plan.steps.slice(2) })])
    await generationOf(turn).start(turn)
    await untilEnded(turn)
    await evict(turn)
    await fireAlarm(turn)
    expect((await logOf(turn)).results.filter((id) => id === 'findings-step-3')).toHaveLength(1)
  })
})
