import type { ReadonlyJSONValue } from '@rocicorp/zero'
import { describe, expect, test } from 'vitest'
import { failure } from '../../../worker/chat/failures.ts'
import { hasContent, maxAnswerBytes, storedBytes, turnEnding } from '../../../worker/chat/finalize.ts'
import type { Ended, Turn } from '../../../worker/chat/turn-state.ts'
import { maxRowBytes } from '../../../worker/contract/limits.ts'
import type { StreamChunk } from '../../../worker/contract/message-stream.ts'

const turn: Turn = {
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
}
const completed: Ended = { ending: 'completed', failure: null, endedAtMs: 4500 }
const start: StreamChunk = { type: 'start', messageId: 'generation' }
const text = (delta: string): StreamChunk => ({ type: 'text-delta', id: '1', delta })

describe('turnEnding', () => {
  test('of a completed answer', () => {
    expect(turnEnding(turn, completed, [start, text('He'), text('y'), { type: 'text-end', id: '1' }, { type: 'finish' }], 'Title')).toEqual(
      {
        generationId: 'generation',
        userId: 'user',
        threadId: 'thread',
        parentId: 'question',
        charged: true,
        searched: false,
        researched: true,
        title: 'Title',
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

  test('thoughts that were not told are kept for their time, unless they took none', () => {
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

  test('of one whose log breaks off in the middle: its parts are closed, what it wrote is charged', () => {
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

  test('of one without a word: there is a row, it says why, and it is free', () => {
    const { answer, charged } = turnEnding(
      turn,
      { ending: 'failed', failure: failure('model_busy'), endedAtMs: 2000 },
      [start, { type: 'text-start', id: '1' }],
      null,
    )
    expect(charged).toBe(false)
    expect(answer.parts).toEqual([])
    expect(answer.metadata).toMatchObject({
      ending: 'failed',
      credits: 0,
      failure: { code: 'model_busy', message: expect.stringContaining('busy') },
    })
  })

  test('of one that only repeats what it should have continued is free', () => {
    const given = [start, { type: 'text-start', id: '1' }, text('before')] as const
    expect(turnEnding({ ...turn, givenChunks: given.length }, completed, given, null).charged).toBe(false)
    expect(turnEnding({ ...turn, givenChunks: given.length }, completed, [...given, text(' after')], null).charged).toBe(true)
  })
})

describe('an answer without a word is free', () => {
  const thought: StreamChunk = { type: 'reasoning-delta', id: '1', delta: 'hm' }
  const stopped: Ended = { ending: 'stopped', failure: null, endedAtMs: 4500 }
  const research: Turn = { ...turn, mode: 'research' }
  const answered = (toolCallId: string, toolName: string, output: ReadonlyJSONValue): StreamChunk[] => [
    { type: 'tool-input-available', toolCallId, toolName, input: { step: 'step-1' } },
    { type: 'tool-output-available', toolCallId, output },
  ]
  const searched = [start, ...answered('s', 'search', { results: [] })]
  const found = [...searched, ...answered('f', 'findings', { text: 'Tea is a plant. [1]' })]

  test('whatever it thought, and however it ended', () => {
    for (const ending of ['stopped', 'failed', 'interrupted'] as const)
      expect(turnEnding(turn, { ...stopped, ending }, [start, thought], null)).toMatchObject({
        charged: false,
        answer: { metadata: { credits: 0 } },
      })
  })

  test('so is a research that went wrong after its notes, and none of the day’s; the same one stopped by its person is paid', () => {
    for (const ending of ['failed', 'interrupted'] as const) {
      expect(turnEnding(research, { ...stopped, ending }, found, null)).toMatchObject({ charged: false, researched: false })
      expect(turnEnding(research, { ...stopped, ending }, [...found, text('Tea')], null)).toMatchObject({ charged: true, researched: true })
    }
    expect(turnEnding(research, stopped, found, null)).toMatchObject({ charged: true, researched: true })
    // What was noted before it went on is not noted by it.
    expect(turnEnding({ ...research, givenChunks: found.length }, stopped, found, null)).toMatchObject({
      charged: false,
      researched: false,
    })
  })

  test('a research that was stopped after a search is one of the day’s, and one that went wrong then is none', () => {
    expect(turnEnding(research, stopped, searched, null)).toMatchObject({ researched: true, charged: false })
    expect(turnEnding(research, stopped, searched.slice(0, -1), null).researched).toBe(false)
    expect(turnEnding(research, { ...stopped, ending: 'failed' }, searched, null).researched).toBe(false)
  })

  test('so is a search whose answer went wrong before its first word; one that its person stopped is one of the day’s', () => {
    const search: Turn = { ...turn, mode: 'search' }
    for (const ending of ['failed', 'interrupted', 'completed'] as const) {
      expect(turnEnding(search, { ...stopped, ending }, [...searched, thought], null)).toMatchObject({ charged: false, searched: false })
      expect(turnEnding(search, { ...stopped, ending }, [...searched, text('Tea')], null)).toMatchObject({ charged: true, searched: true })
    }
    expect(turnEnding(search, stopped, searched, null)).toMatchObject({ charged: false, searched: true })
    // What was found and written before it went on was found by another.
    const given = [...searched, text('Tea')]
    expect(turnEnding({ ...search, givenChunks: given.length }, stopped, given, null).searched).toBe(false)
  })
})

test('thoughts and blanks are no content; words and pictures are', () => {
  expect(hasContent([start, { type: 'reasoning-delta', id: '1', delta: 'hm' }, text(' \n')])).toBe(false)
  expect(hasContent([text(' '), text('a')])).toBe(true)
  expect(hasContent([{ type: 'file', url: 'data:,', mediaType: 'image/png' }])).toBe(true)
})

test('the largest answer fits its row, whatever it is made of', () => {
  for (const unit of ['word ', '"\\\n\u0001', '字🎈é', '\u2028x']) {
    const delta = text(unit.repeat(500))
    const count = Math.floor(maxAnswerBytes / storedBytes(delta))
    const { answer } = turnEnding(turn, completed, [start, ...Array<StreamChunk>(count).fill(delta)], null)
    expect(new TextEncoder().encode(JSON.stringify(answer)).byteLength).toBeLessThan(maxRowBytes - 50_000)
  }
})

describe('an answer that no row takes', () => {
  const page = text('word '.repeat(20_000))
  const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).byteLength
  const tooLong: Ended = { ending: 'failed', failure: failure('answer_too_long'), endedAtMs: completed.endedAtMs }

  test.each(['completed', 'stopped', 'interrupted', 'failed'] as const)('is cut where it is full, says so, and is paid: %s', (ending) => {
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

  test('is free where nothing is kept of what it added, and pays for no research that it went on with', () => {
    const given = [start, ...Array<StreamChunk>(18).fill(page)]
    const payment = { by: 'another', credits: 3 }
    const research: Turn = { ...turn, mode: 'research', givenChunks: given.length, paid: payment }
    const cut = turnEnding(research, completed, [...given, page, page], null)
    expect(cut).toMatchObject({ charged: false, researched: false, answer: { metadata: { credits: 0, paid: payment } } })
    expect(cut).not.toHaveProperty('spent')
  })

  test('is cut also where its chunks say less of themselves than is stored', () => {
    // A call that is left open is stored with a sentence on what became of it.
    const toolName = 'search'.repeat(108)
    const calls = Array.from({ length: 2500 }, (_, at): StreamChunk => ({ type: 'tool-input-start', toolCallId: `${at}`, toolName }))
    expect(calls.reduce((sum, chunk) => sum + storedBytes(chunk), 0)).toBeLessThan(maxAnswerBytes)
    const { answer } = turnEnding(turn, completed, [start, text('Hey'), ...calls], null)
    expect(answer.metadata.failure?.code).toBe('answer_too_long')
    expect(bytesOf(answer)).toBeLessThan(maxRowBytes)
    expect(answer.parts[0]).toMatchObject({ text: 'Hey' })
  })
})
