import type { ReadonlyJSONValue } from '@rocicorp/zero'
import { describe, expect, test } from 'vitest'
import { failure } from '../../../worker/chat/model/failures.ts'
import { isContent, maxAnswerBytes, storedBytes, turnEnding } from '../../../worker/chat/turn/settlement.ts'
import type { Ended, TurnRecord } from '../../../worker/chat/turn/turn-state.ts'
import { maxRowBytes } from '../../../worker/contract/limits.ts'
import type { StreamChunk } from '../../../worker/contract/threads/message-stream.ts'
import { modelRequest } from '../../support/rows.ts'

const turn: TurnRecord = {
  generationId: 'generation',
  userId: 'user',
  threadId: 'thread',
  parentId: 'question',
  model: { id: 'kimi-k2', name: 'Kimi K2', icon: 'moonshot', credits: 3 },
  mode: 'chat',
  demo: false,
  title: null,
  givenChunks: 1,
  startedAtMs: 1000,
  requestSent: true,
}
const completed: Ended = { ending: 'completed', failure: null, endedAtMs: 4500 }
const start: StreamChunk = { type: 'start', messageId: 'generation' }
const text = (delta: string): StreamChunk => ({ type: 'text-delta', id: '1', delta })

describe('turnEnding', () => {
  test('a completed answer', () => {
    expect(turnEnding(turn, completed, [start, text('He'), text('y'), { type: 'text-end', id: '1' }, { type: 'finish' }], 'Title')).toEqual(
      {
        generationId: 'generation',
        userId: 'user',
        threadId: 'thread',
        parentId: 'question',
        charged: true,
        credits: 3,
        keepsSearch: false,
        keepsResearch: true,
        title: 'Title',
        requests: [],
        endedAtMs: 4500,
        answer: {
          id: 'generation',
          role: 'assistant',
          parts: [{ type: 'text', text: 'Hey', state: 'done' }],
          metadata: { modelId: 'kimi-k2', modelName: 'Kimi K2', modelIcon: 'moonshot', ending: 'completed', credits: 3, durationMs: 3500 },
        },
      },
    )
  })

  test('records the requests of the turn, and shows their sum and the time to the first word', () => {
    const requests = [modelRequest({ inputTokens: 100, microDollars: 40 }), modelRequest({ microDollars: null })]
    const ending = turnEnding({ ...turn, requests, firstWordMs: 800 }, completed, [start, text('Hey')], null)
    expect(ending.requests).toEqual(requests)
    expect(ending.answer.metadata).toMatchObject({
      firstWordMs: 800,
      use: { requests: 2, unpriced: 1, inputTokens: 110, cachedInputTokens: 8, outputTokens: 6, reasoningTokens: 2, microDollars: 40 },
    })
  })

  test.each([
    [['moonshotai/kimi-k2'], undefined],
    [['moonshotai/kimi-k2.5'], ['Kimi K2.5']],
    [
      ['moonshotai/kimi-k2', 'moonshotai/kimi-k2.5', 'moonshotai/kimi-k2.5'],
      ['Kimi K2', 'Kimi K2.5'],
    ],
  ])('names the models that answered if a fallback is among them: %j', (slugs, answeredBy) => {
    const fallbacks = [{ name: 'Kimi K2.5', model: 'moonshotai/kimi-k2.5' }]
    const requests = slugs.map((model) => modelRequest({ model }))
    const { answer } = turnEnding({ ...turn, fallbacks, requests }, completed, [start, text('Hey')], null)
    expect(answer.metadata.answeredBy).toEqual(answeredBy)
  })

  test('hidden reasoning is stored with its duration, unless it took no time', () => {
    const thought = (durationMs: number): StreamChunk[] => [
      { type: 'reasoning-start', id: '1' },
      { type: 'reasoning-end', id: '1', durationMs },
    ]
    const { answer } = turnEnding(turn, completed, [start, ...thought(4200), ...thought(3), text('Hey')], null)
    expect(answer.parts).toEqual([
      { type: 'reasoning', text: '', state: 'done', durationMs: 4200 },
      { type: 'text', text: 'Hey', state: 'done' },
    ])
  })

  test('an answer whose log ends in the middle: its parts are closed, and its text is charged', () => {
    const { answer, charged } = turnEnding(
      { ...turn, demo: true },
      { ...completed, ending: 'interrupted' },
      [start, { type: 'reasoning-delta', id: '1', delta: 'hm' }, text('He')],
      null,
    )
    expect(charged).toBe(true)
    expect(answer.parts).toEqual([
      { type: 'reasoning', text: 'hm', state: 'done' },
      { type: 'text', text: 'He', state: 'done' },
    ])
    expect(answer.metadata).toMatchObject({ ending: 'interrupted', demo: true, credits: 3 })
  })

  test('an answer without content gets a row with the reason, is free, and is charged over the limit of unpaid turns', () => {
    const { answer, charged, metadataIfCharged } = turnEnding(
      turn,
      { ending: 'failed', failure: failure('model_busy'), endedAtMs: 2000 },
      [start, { type: 'text-start', id: '1' }],
      null,
    )
    expect(charged).toBe(false)
    expect(metadataIfCharged).toMatchObject({ ending: 'failed', credits: 3, failure: { code: 'model_busy' } })
    expect(answer.parts).toEqual([])
    expect(answer.metadata).toMatchObject({
      ending: 'failed',
      credits: 0,
      failure: { code: 'model_busy' },
    })
  })

  test('an answer that only repeats the text it should continue is free', () => {
    const given = [start, { type: 'text-start', id: '1' }, text('before')] as const
    expect(turnEnding({ ...turn, givenChunks: given.length }, completed, given, null).charged).toBe(false)
    expect(turnEnding({ ...turn, givenChunks: given.length }, completed, [...given, text(' after')], null).charged).toBe(true)
  })
})

describe('an answer without content', () => {
  const thought: StreamChunk = { type: 'reasoning-delta', id: '1', delta: 'hm' }
  const stopped: Ended = { ending: 'stopped', failure: null, endedAtMs: 4500 }
  const search: TurnRecord = { ...turn, mode: 'search' }
  const answered = (toolCallId: string, toolName: string, output: ReadonlyJSONValue): StreamChunk[] => [
    { type: 'tool-input-available', toolCallId, toolName, input: { step: 'step-1' } },
    { type: 'tool-output-available', toolCallId, output },
  ]
  const plan = answered('plan', 'plan', { steps: [{ id: 'step-1', text: 'Tea', queries: ['tea'] }] })
  /** Carries out a plan that was part of the command. */
  const research: TurnRecord = { ...turn, mode: 'research', givenChunks: plan.length + 1 }
  const planned = [start, ...plan]
  const found = [...planned, ...answered('s', 'search', { results: [] }), ...answered('f', 'findings', { text: 'Tea is a plant. [1]' })]
  const unsent = (of: TurnRecord): TurnRecord => ({ ...of, requestSent: false })

  test('is free when it failed, even with reasoning, and is then charged over the limit of unpaid turns', () => {
    for (const ending of ['failed', 'interrupted'] as const)
      expect(turnEnding(turn, { ...stopped, ending }, [start, thought], null)).toMatchObject({
        charged: false,
        answer: { metadata: { credits: 0 } },
        metadataIfCharged: { ending, credits: 3 },
      })
  })

  test('is charged when its user stopped it after the request was sent, also before any output', () => {
    for (const chunks of [[start], [start, thought]]) {
      const ended = turnEnding(turn, stopped, chunks, null)
      expect(ended).toMatchObject({ charged: true, answer: { metadata: { credits: 3 } } })
      expect(ended).not.toHaveProperty('metadataIfCharged')
    }
  })

  test('is free in every case when no request was sent', () => {
    for (const of of [turn, search, research]) {
      for (const ending of ['stopped', 'failed', 'interrupted'] as const) {
        const ended = turnEnding(unsent(of), { ...stopped, ending }, planned, null)
        expect(ended).toMatchObject({ charged: false, answer: { metadata: { credits: 0 } } })
        expect(ended).not.toHaveProperty('metadataIfCharged')
      }
    }
  })

  test('counts one search when its user stopped it after the request was sent', () => {
    expect(turnEnding(search, stopped, [start], null)).toMatchObject({ charged: true, keepsSearch: true })
    expect(turnEnding(search, { ...stopped, ending: 'failed' }, [start], null)).toMatchObject({ charged: false, keepsSearch: true })
  })

  test('an answer with text counts a search only if one was answered', () => {
    const searched = [start, ...answered('s', 'search', { results: [] })]
    expect(turnEnding(search, { ...stopped, ending: 'failed' }, [start, text('Tea')], null)).toMatchObject({ keepsSearch: false })
    expect(turnEnding(search, { ...stopped, ending: 'failed' }, [...searched, text('Tea')], null)).toMatchObject({ keepsSearch: true })
  })

  test('a research that failed after its notes is free; stopped after its first request it counts', () => {
    for (const ending of ['failed', 'interrupted'] as const) {
      expect(turnEnding(research, { ...stopped, ending }, found, null)).toMatchObject({ charged: false })
      expect(turnEnding(research, { ...stopped, ending }, [...found, text('Tea')], null)).toMatchObject({
        charged: true,
        keepsResearch: true,
      })
    }
    expect(turnEnding(research, stopped, planned, null)).toMatchObject({ charged: true, keepsResearch: true })
  })

  test('a plan is free, is charged when stopped and over the limit of unpaid turns, and never counts as a research', () => {
    const planning: TurnRecord = { ...turn, mode: 'research', givenChunks: 1 }
    const made = turnEnding(planning, completed, planned, null)
    expect(made).toMatchObject({ charged: false, keepsResearch: false, metadataIfCharged: { credits: 3 } })
    expect(made.metadataIfCharged).not.toHaveProperty('paid')
    expect(turnEnding(unsent(planning), completed, planned, null)).not.toHaveProperty('metadataIfCharged')
    expect(turnEnding(planning, stopped, [start], null)).toMatchObject({ charged: true, keepsResearch: false })
  })

  test('a stop consumes the payment of an earlier attempt, and so does a failure over the limit', () => {
    const goingOn: TurnRecord = { ...research, paid: { by: 'another', credits: 3 } }
    const left = turnEnding(goingOn, stopped, planned, null)
    expect(left).toMatchObject({ charged: true, spentPaymentId: 'another' })
    expect(left.answer.metadata).not.toHaveProperty('paid')
    const failed = turnEnding(goingOn, { ...stopped, ending: 'failed' }, found, null)
    expect(failed).toMatchObject({
      charged: false,
      spentPaymentId: 'another',
      answer: { metadata: { paid: { by: 'another', credits: 3 } } },
    })
    expect(failed.metadataIfCharged).not.toHaveProperty('paid')
  })

  test('a research that is charged over the limit can be continued once for its price', () => {
    const { metadataIfCharged } = turnEnding(research, { ...stopped, ending: 'failed' }, found, null)
    expect(metadataIfCharged).toMatchObject({ credits: 3, paid: { by: 'generation', credits: 3 } })
  })
})

test('reasoning and white space are not content; text and pictures are', () => {
  for (const chunk of [start, { type: 'reasoning-delta', id: '1', delta: 'hm' } as const, text(' \n')]) expect(isContent(chunk)).toBe(false)
  expect(isContent(text('a'))).toBe(true)
  expect(isContent({ type: 'file', url: 'data:,', mediaType: 'image/png' })).toBe(true)
})

test('the largest possible answer fits into its row', () => {
  for (const unit of ['word ', '"\\\n\u0001', '字🎈é', '\u2028x']) {
    const delta = text(unit.repeat(500))
    const count = Math.floor(maxAnswerBytes / storedBytes(delta))
    const { answer } = turnEnding(turn, completed, [start, ...Array<StreamChunk>(count).fill(delta)], null)
    expect(new TextEncoder().encode(JSON.stringify(answer)).byteLength).toBeLessThan(maxRowBytes - 50_000)
  }
})

describe('an answer that does not fit into a row', () => {
  const page = text('word '.repeat(20_000))
  const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).byteLength
  const tooLong: Ended = { ending: 'failed', failure: failure('answer_too_long'), endedAtMs: completed.endedAtMs }

  test.each(['completed', 'stopped', 'interrupted', 'failed'] as const)('is truncated, states the reason, and is charged: %s', (ending) => {
    const chunks = [start, ...Array<StreamChunk>(30).fill(page)]
    const cut = turnEnding(turn, { ...completed, ending }, [...chunks, { type: 'finish' }], 'Title')
    expect(cut).toEqual(turnEnding(turn, tooLong, chunks.slice(0, 18), 'Title'))
    expect(cut).toMatchObject({
      charged: true,
      answer: { metadata: { ending: 'failed', failure: { code: 'answer_too_long' }, credits: 3 } },
    })
    expect(bytesOf(cut.answer)).toBeGreaterThan(maxAnswerBytes - 110_000)
    expect(bytesOf(cut.answer)).toBeLessThan(maxRowBytes)
  })

  test('is free within the limit when none of its text is stored, and keeps the payment of the continued research', () => {
    const given = [start, ...Array<StreamChunk>(18).fill(page)]
    const payment = { by: 'another', credits: 3 }
    const research: TurnRecord = { ...turn, mode: 'research', givenChunks: given.length, paid: payment }
    const cut = turnEnding(research, completed, [...given, page, page], null)
    expect(cut).toMatchObject({ charged: false, answer: { metadata: { credits: 0, paid: payment } } })
  })

  test('is also truncated if its stored form is larger than its chunks', () => {
    // An open call is stored with a sentence on its outcome.
    const toolName = 'search'.repeat(108)
    const calls = Array.from({ length: 2500 }, (_, at): StreamChunk => ({ type: 'tool-input-start', toolCallId: `${at}`, toolName }))
    expect(calls.reduce((sum, chunk) => sum + storedBytes(chunk), 0)).toBeLessThan(maxAnswerBytes)
    const { answer } = turnEnding(turn, completed, [start, text('Hey'), ...calls], null)
    expect(answer.metadata.failure?.code).toBe('answer_too_long')
    expect(bytesOf(answer)).toBeLessThan(maxRowBytes)
    expect(answer.parts[0]).toMatchObject({ text: 'Hey' })
  })
})

describe('[G17] the credits of a turn with a price', () => {
  const price = { minimum: 1, expected: 4, creditMicroDollars: 1_000, planMicroDollars: 0, outputMicroDollarsPerMillionTokens: 300_000_000 }
  const priced: TurnRecord = { ...turn, model: { ...turn.model, credits: 9 }, price }
  const requests = [modelRequest({ microDollars: 1_500 }), modelRequest({ microDollars: 900 })]
  const chargedFor = (by: Partial<TurnRecord>, chunks: readonly StreamChunk[] = [text('Hey')], ended: Ended = completed) => {
    const { charged, credits, answer } = turnEnding({ ...priced, ...by }, ended, [start, ...chunks], null)
    expect(answer.metadata.credits).toBe(charged ? credits : 0)
    return credits
  }
  const searched: readonly StreamChunk[] = [
    { type: 'tool-input-available', toolCallId: 's', toolName: 'search', input: {} },
    { type: 'tool-output-available', toolCallId: 's', output: { results: [] } },
  ]

  test('are what its requests cost', () => expect(chargedFor({ requests })).toBe(3))
  test('are at least the minimum', () => expect(chargedFor({ requests: [modelRequest({ microDollars: 1 })] })).toBe(1))
  test('are at most what was reserved', () => expect(chargedFor({ requests: [modelRequest({ microDollars: 50_000 })] })).toBe(9))
  test('include the fees of its searches', () => expect(chargedFor({ requests: [modelRequest({ microDollars: 900 })] }, searched)).toBe(8))
  test('include the plan of its research', () => expect(chargedFor({ requests, price: { ...price, planMicroDollars: 2_000 } })).toBe(5))
  test('of a continued research are what exceeds its payment, which lasts unless the credits are spent', () => {
    const paid = { by: 'first', credits: 2 }
    const research = { ...priced, mode: 'research', paid, requests } as const
    const ended = (code: 'model_error' | 'credits_spent'): Ended => ({ ...completed, ending: 'failed', failure: failure(code) })
    const paymentAfter = (code: 'model_error' | 'credits_spent') =>
      turnEnding(research, ended(code), [start, text('Hey')], null).metadataIfCharged?.paid
    expect(turnEnding(research, completed, [start, text('Hey')], null).credits).toBe(1)
    expect(chargedFor({ mode: 'research', paid: { ...paid, credits: 5 }, requests, price: { ...price, minimum: 0 } })).toBe(0)
    const first = turnEnding({ ...research, paid: null }, ended('model_error'), [start, text('Hey')], null)
    expect(first.answer.metadata.paid).toEqual({ by: 'generation', credits: 3 })
    expect(turnEnding({ ...research, paid: null }, ended('credits_spent'), [start, text('Hey')], null).answer.metadata.paid).toBeUndefined()
    expect(paymentAfter('model_error')).toBeUndefined()
  })
  test('are what was expected if the cost of a request is unknown', () =>
    expect(chargedFor({ requests: [modelRequest({ microDollars: null })] })).toBe(4))
  test('are what was expected if it was stopped before the model answered', () =>
    expect(chargedFor({ requests: [] }, [], { ...completed, ending: 'stopped' })).toBe(4))
  test('count the words of a stopped answer', () => {
    // 60 bytes are 20 tokens at 300 micro-dollars.
    expect(
      chargedFor({ requests: [modelRequest({ microDollars: null })] }, [text('x'.repeat(60))], { ...completed, ending: 'stopped' }),
    ).toBe(6)
  })
  test('are the minimum for the demo model', () => expect(chargedFor({ demo: true }, [text('Hey'), ...searched])).toBe(1))
  test('of a turn without a quote are what was reserved', () => {
    const { price: _, ...older } = priced
    expect(turnEnding({ ...older, requests }, completed, [start, text('Hey')], null).credits).toBe(9)
  })
})
