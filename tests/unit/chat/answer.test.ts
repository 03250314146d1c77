import { describe, expect, test } from 'vitest'
import { Answer } from '../../../worker/chat/answer.ts'
import { AnswerTables } from '../../../worker/chat/answer-tables.ts'
import { maxAnswerBytes } from '../../../worker/chat/finalize.ts'
import type { AnswerStorage } from '../../../worker/chat/storage.ts'
import type { Turn } from '../../../worker/chat/turn-state.ts'
import { eventStreamDecoder, type StreamEvent } from '../../../worker/contract/event-stream.ts'
import type { StreamChunk } from '../../../worker/contract/message-stream.ts'
import { createAnswerStorage, createTimers } from '../../support/answer-storage.ts'

const order: Omit<Turn, 'givenChunks'> = {
  generationId: 'generation',
  userId: 'ada',
  threadId: 'thread',
  parentId: 'question',
  model: { id: 'kimi-k2', name: 'Kimi K2', icon: 'moonshot', credits: 1 },
  mode: 'chat',
  demo: false,
  title: null,
  startedAtMs: 1,
}
const start: StreamChunk = { type: 'start', messageId: 'generation' }
/** Waits for nothing. */
const picture: StreamChunk = { type: 'file', mediaType: 'image/png', url: 'data:' }
const word: StreamChunk = { type: 'text-delta', id: '1', delta: 'word ' }

/** `confirm`: what was written so far is known to be stored. */
function setup(storage: AnswerStorage = createAnswerStorage()) {
  const lost: unknown[] = []
  const timers = createTimers()
  const confirmations: (() => void)[] = []
  const confirming = { ...storage, sync: () => new Promise<void>((resolve) => void confirmations.push(resolve)) }
  const place = () => ({
    storage: confirming,
    tables: new AnswerTables(storage),
    later: timers.later,
    lost: (error: unknown) => void lost.push(error),
  })
  const open = () => new Answer(order.generationId, place())
  const confirm = async () => {
    for (const resolve of confirmations.splice(0)) resolve()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { storage, lost, open, confirm, answer: open() }
}

/** What a reader has heard so far, growing. */
function listen(answer: Answer): StreamEvent[] {
  const heard: StreamEvent[] = []
  const decode = eventStreamDecoder()
  const text = new TextDecoder()
  void (async () => {
    for await (const bytes of answer.read(0)) heard.push(...decode(text.decode(bytes)))
  })()
  return heard
}

const chunk = (id: number, chunk: StreamChunk): StreamEvent => ({ type: 'chunk', id, chunk })

const tables = ({ sql }: AnswerStorage) => sql.exec('select name from sqlite_master').toArray().length

describe('an order that is to be stored soon', () => {
  test('leaves nothing behind until it is, and belongs to its person', () => {
    const { storage, answer, open } = setup()
    answer.begin(order, [start], 'soon')
    expect([answer.state.phase, tables(storage), open().state.phase]).toEqual(['running', 0, 'absent'])
    answer.store()
    answer.store()
    expect([answer.isOf('ada', 'thread'), answer.isOf('bob', 'thread'), answer.isOf('ada', 'another')]).toEqual([true, false, false])
    expect(answer.chunks()).toEqual([start])
    expect(open().state).toEqual({ phase: 'running', turn: { ...order, givenChunks: 1 } })
  })

  test('is heard by nobody before it is known to be stored, and then from the first chunk on', async () => {
    const { answer, confirm } = setup()
    answer.begin(order, [start], 'soon')
    const early = listen(answer)
    await confirm()
    expect(early).toEqual([])
    answer.write(word)
    const late = listen(answer)
    await new Promise((resolve) => setImmediate(resolve))
    expect([early, late]).toEqual([[], []])
    await confirm()
    expect([early, late]).toEqual([
      [chunk(1, start), chunk(2, word)],
      [chunk(1, start), chunk(2, word)],
    ])
    answer.write(picture)
    await confirm()
    expect([early.at(-1), late.at(-1)]).toEqual([chunk(3, picture), chunk(3, picture)])
  })

  test('is stored before the first word, and with the ending', async () => {
    const spoken = setup()
    spoken.answer.begin(order, [start], 'soon')
    spoken.answer.write(word)
    expect(spoken.answer.chunks()).toEqual([start, word])
    expect(spoken.open().state.phase).toBe('running')
    const ended = setup()
    ended.answer.begin(order, [start], 'soon')
    const heard = listen(ended.answer)
    expect(ended.answer.end('stopped', null, 2)).toBe(true)
    expect(ended.open().state).toMatchObject({ phase: 'ended', ended: { ending: 'stopped' } })
    expect(ended.open().chunks()).toEqual([start, { type: 'finish' }])
    await ended.confirm()
    expect(heard).toEqual([chunk(1, start), chunk(2, { type: 'finish' }), { type: 'end', ending: 'stopped' }])
  })

  test('is stored for whom it belongs to by then', () => {
    const { answer, open } = setup()
    answer.begin(order, [], 'soon')
    answer.handOver('the account')
    expect(answer.isOf('ada')).toBe(false)
    answer.store()
    expect(open().isOf('the account', 'thread')).toBe(true)
  })

  test('that cannot be stored is lost, and says so to whoever tried', () => {
    const refusal = new Error('the object was replaced')
    const { answer, lost } = setup({
      ...createAnswerStorage(),
      transactionSync: () => {
        throw refusal
      },
    })
    answer.begin(order, [start], 'soon')
    expect(() => answer.write(word)).toThrow(refusal)
    expect(lost).toEqual([refusal])
  })
})

test('an order that is to be stored now is', () => {
  const { answer, open } = setup()
  answer.begin(order, [start], 'now')
  expect(open().state.phase).toBe('running')
})

test('an answer that is taken up again has the room that what was written before left it', () => {
  const { answer, open } = setup()
  const most: StreamChunk = { type: 'text-delta', id: '1', delta: 'x'.repeat(maxAnswerBytes - 1000) }
  const more: StreamChunk = { type: 'text-delta', id: '1', delta: 'x'.repeat(1000) }
  answer.begin(order, [start], 'now')
  expect(answer.write(most)).toBe(true)
  expect(answer.write({ type: 'tool-output-error', toolCallId: 'a', errorText: 'stored at once' })).toBe(true)
  const again = open()
  expect(again.write(more)).toBe(false)
  expect(again.write(word)).toBe(true)
  expect(again.write({ type: 'text-end', id: '1' })).toBe(true)
})
