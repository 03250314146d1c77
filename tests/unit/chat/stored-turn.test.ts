import { describe, expect, test } from 'vitest'
import { maxAnswerBytes } from '../../../worker/chat/turn/settlement.ts'
import { StoredTurn } from '../../../worker/chat/turn/stored-turn.ts'
import type { NewTurn, TurnStorage } from '../../../worker/chat/turn/turn-state.ts'
import { eventStreamDecoder, type StreamEvent } from '../../../worker/contract/threads/event-stream.ts'
import type { StreamChunk } from '../../../worker/contract/threads/message-stream.ts'
import { createAnswerStorage, createTimers } from '../../support/turn-storage.ts'

const command: NewTurn = {
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
const picture: StreamChunk = { type: 'file', mediaType: 'image/png', url: 'data:' }
const word: StreamChunk = { type: 'text-delta', id: '1', delta: 'word ' }

/** `confirm`: confirms that all writes so far are stored. */
function setup() {
  const storage: TurnStorage = createAnswerStorage()
  const lost: unknown[] = []
  const refused: StreamChunk[] = []
  const timers = createTimers()
  const confirmations: (() => void)[] = []
  const confirming = { ...storage, sync: () => new Promise<void>((resolve) => void confirmations.push(resolve)) }
  const open = (place: TurnStorage = confirming) =>
    new StoredTurn({
      storage: place,
      later: timers.later,
      lost: (error: unknown) => void lost.push(error),
      full: (chunk) => void refused.push(chunk),
      nowMs: () => 801,
    })
  const confirm = async () => {
    for (const resolve of confirmations.splice(0)) resolve()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { storage, lost, refused, open, confirm, answer: open() }
}

/** The events that a reader has received, growing. */
function listen(answer: StoredTurn): StreamEvent[] {
  const received: StreamEvent[] = []
  const decode = eventStreamDecoder()
  const text = new TextDecoder()
  void (async () => {
    for await (const bytes of answer.read(0)) received.push(...decode(text.decode(bytes)))
  })()
  return received
}

const chunk = (id: number, chunk: StreamChunk): StreamEvent => ({ type: 'chunk', id, chunk })

const tables = ({ sql }: TurnStorage) => sql.exec('select name from sqlite_master').toArray().length

describe('a start command', () => {
  test('is stored with the given chunks, and belongs to its user', () => {
    const { storage, answer, open } = setup()
    expect([answer.state.phase, tables(storage)]).toEqual(['absent', 0])
    void answer.begin(command, [start])
    expect([answer.isOf('ada', 'thread'), answer.isOf('bob', 'thread'), answer.isOf('ada', 'another')]).toEqual([true, false, false])
    expect(answer.chunks()).toEqual([start])
    expect(open().state).toEqual({ phase: 'running', turn: { ...command, givenChunks: 1, requestSent: false } })
  })

  test('is marked before its first request is sent', () => {
    const { answer, open } = setup()
    void answer.begin(command, [start])
    answer.requestSent()
    expect(open().state).toMatchObject({ phase: 'running', turn: { requestSent: true } })
  })

  test('a request after the ending leaves no mark', () => {
    const { answer, open } = setup()
    void answer.begin(command, [start])
    answer.end('stopped', null, 2)
    answer.requestSent()
    expect([answer.state, open().state]).toMatchObject([{ turn: { requestSent: false } }, { turn: { requestSent: false } }])
  })

  test('is read only after it is stored, and then from the first chunk on', async () => {
    const { answer, confirm } = setup()
    void answer.begin(command, [start])
    const early = listen(answer)
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

  test('ends in the same transaction as its last chunks, before readers get the end', async () => {
    const { answer, open, confirm } = setup()
    void answer.begin(command, [start])
    const received = listen(answer)
    expect(answer.end('stopped', null, 2)).toBe(true)
    expect(open().state).toMatchObject({ phase: 'ended', ended: { ending: 'stopped' } })
    expect(open().chunks()).toEqual([start, { type: 'finish' }])
    await confirm()
    expect(received).toEqual([chunk(1, start), chunk(2, { type: 'finish' }), { type: 'end', ending: 'stopped' }])
  })

  test('belongs to the account after its guest was linked', () => {
    const { answer, open } = setup()
    void answer.begin(command, [])
    answer.changeOwner('the account')
    expect(answer.isOf('ada')).toBe(false)
    expect(open().isOf('the account', 'thread')).toBe(true)
  })

  test.each(['transactionSync', 'sync'] as const)(
    'reports a command that %s does not store, to its object and to the caller',
    async (call) => {
      const refusal = new Error('the object was replaced')
      const { storage, lost, open } = setup()
      const refuse = (): never => {
        throw refusal
      }
      const answer = open({ ...storage, [call]: refuse })
      await expect(answer.begin(command, [start])).rejects.toThrow(refusal)
      expect(lost).toEqual([refusal])
    },
  )
})

test('a resumed answer has the remaining size limit', () => {
  const { answer, open, refused } = setup()
  const most: StreamChunk = { type: 'text-delta', id: '1', delta: 'x'.repeat(maxAnswerBytes - 1000) }
  const more: StreamChunk = { type: 'text-delta', id: '1', delta: 'x'.repeat(1000) }
  void answer.begin(command, [start])
  answer.write(most)
  answer.write({ type: 'tool-output-error', toolCallId: 'a', errorCode: 'unexpected', errorText: 'stored at once' })
  const again = open()
  for (const chunk of [more, word, { type: 'text-end', id: '1' } as const]) again.write(chunk)
  expect(refused).toEqual([more])
})

test('the first word is the first content of the model, not of the continued answer', () => {
  const { answer } = setup()
  const firstWordMs = () => (answer.state.phase === 'running' ? answer.state.turn.firstWordMs : null)
  void answer.begin(command, [start, word])
  expect(firstWordMs()).toBeUndefined()
  answer.write({ type: 'text-start', id: '2' })
  expect(firstWordMs()).toBeUndefined()
  answer.write(word)
  expect(firstWordMs()).toBe(800)
})
