import { describe, expect, test } from 'vitest'
import { Answer } from '../../../worker/chat/answer.ts'
import type { AnswerStorage } from '../../../worker/chat/storage.ts'
import type { Turn } from '../../../worker/chat/turn-state.ts'
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
const word: StreamChunk = { type: 'text-delta', id: '1', delta: 'word ' }

function setup(storage: AnswerStorage = createAnswerStorage()) {
  const heard: string[] = []
  const timers = createTimers()
  const host = { stored: () => void heard.push('stored'), lost: () => void heard.push('lost') }
  const open = () => new Answer(storage, timers.later, host)
  return { storage, heard, open, answer: open() }
}

const tables = ({ sql }: AnswerStorage) => sql.exec('select name from sqlite_master').toArray().length

describe('an order that is to be stored soon', () => {
  test('leaves nothing behind and lets nobody read until it is', () => {
    const { storage, answer, open, heard } = setup()
    answer.begin(order, [start], 'soon')
    expect([answer.state.phase, answer.isOf('ada'), answer.isReadableBy('ada', 'thread'), tables(storage)]).toEqual([
      'running',
      true,
      false,
      0,
    ])
    expect(() => answer.read(0)).toThrow()
    expect(open().state.phase).toBe('absent')
    answer.store()
    answer.store()
    expect([answer.isReadableBy('ada', 'thread'), heard]).toEqual([true, ['stored']])
    expect([answer.isReadableBy('bob', 'thread'), answer.isReadableBy('ada', 'another')]).toEqual([false, false])
    expect(answer.chunks()).toEqual([start])
    expect(open().state).toEqual({ phase: 'running', turn: { ...order, givenChunks: 1 } })
  })

  test('is stored before the first word, and with the ending', () => {
    const spoken = setup()
    spoken.answer.begin(order, [start], 'soon')
    spoken.answer.write(word)
    expect(spoken.answer.chunks()).toEqual([start, word])
    expect(spoken.open().state.phase).toBe('running')
    const ended = setup()
    ended.answer.begin(order, [start], 'soon')
    expect(ended.answer.end('stopped', null, 2)).toBe(true)
    expect(ended.open().state).toMatchObject({ phase: 'ended', ended: { ending: 'stopped' } })
    expect(ended.open().chunks()).toEqual([start, { type: 'finish' }])
  })

  test('is stored for whom it belongs to by then', () => {
    const { answer, open } = setup()
    answer.begin(order, [], 'soon')
    answer.handOver('the account')
    expect(answer.isOf('ada')).toBe(false)
    answer.store()
    expect(open().isReadableBy('the account', 'thread')).toBe(true)
  })

  test('that cannot be stored is lost, and says so to whoever tried', () => {
    const { answer, heard } = setup({
      ...createAnswerStorage(),
      transactionSync: () => {
        throw new Error('the object was replaced')
      },
    })
    answer.begin(order, [start], 'soon')
    expect(() => answer.write(word)).toThrow('the object was replaced')
    expect([heard, answer.isReadableBy('ada', 'thread')]).toEqual([['lost'], false])
  })
})

test('an order that is to be stored now can be read at once', () => {
  const { answer, heard } = setup()
  answer.begin(order, [start], 'now')
  expect([answer.isReadableBy('ada', 'thread'), heard]).toEqual([true, ['stored']])
})
