import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { coalesced } from '../../../worker/chat/model/coalesced.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const settle = () => vi.advanceTimersByTimeAsync(0)

/** Letters are joined; a digit stays apart and is urgent. */
function joinedLetters() {
  let source: ReadableStreamDefaultController<string> | undefined
  let pulls = 0
  let cancelled: unknown
  const stream = coalesced(
    new ReadableStream<string>(
      {
        start: (controller) => {
          source = controller
        },
        pull: () => {
          pulls += 1
        },
        cancel: (reason) => {
          cancelled = reason
        },
      },
      { highWaterMark: 0 },
    ),
    {
      join: (first, second) => (/\d/.test(first + second) ? null : first + second),
      isUrgent: (value) => /\d/.test(value),
      onError: (error) => `9: ${String(error)}`,
    },
  )
  const reader = stream.getReader()
  const received: string[] = []
  const readAll = async () => {
    for (let read = await reader.read(); !read.done; read = await reader.read()) received.push(read.value)
    received.push('end')
  }
  const write = async (...values: readonly string[]) => {
    for (const value of values) source?.enqueue(value)
    await settle()
  }
  return {
    reader,
    received,
    readAll,
    write,
    end: () => source?.close(),
    fail: (error: unknown) => source?.error(error),
    pulls: () => pulls,
    cancelled: () => cancelled,
  }
}

test('sends the first value at once, and joins those of the next interval', async () => {
  const { received, readAll, write } = joinedLetters()
  void readAll()
  await write('a', 'b', 'c')
  expect(received).toEqual(['a'])
  await vi.advanceTimersByTimeAsync(10)
  expect(received).toEqual(['a', 'bc'])
})

test('sends a value at once after an interval without values', async () => {
  const { received, readAll, write } = joinedLetters()
  void readAll()
  await write('a')
  await vi.advanceTimersByTimeAsync(10)
  await write('b')
  expect(received).toEqual(['a', 'b'])
})

test('sends an urgent value at once, after the values before it', async () => {
  const { received, readAll, write } = joinedLetters()
  void readAll()
  await write('a', 'b', '1', 'c')
  expect(received).toEqual(['a', 'b', '1'])
})

test('sends the first value after an urgent one at once', async () => {
  const { received, readAll, write } = joinedLetters()
  void readAll()
  await write('1', 'a')
  expect(received).toEqual(['1', 'a'])
})

test('sends all values before the end', async () => {
  const { received, readAll, write, end } = joinedLetters()
  void readAll()
  await write('a', 'b')
  end()
  await settle()
  expect(received).toEqual(['a', 'b', 'end'])
  expect(vi.getTimerCount()).toBe(0)
})

test('after an error of the source, sends all values, then the value for the error', async () => {
  const { received, readAll, write, fail } = joinedLetters()
  void readAll()
  await write('a', 'b')
  fail('lost')
  await settle()
  expect(received).toEqual(['a', 'b', '9: lost', 'end'])
})

test('when timers are late, a value waits for 250 ms at most', async () => {
  const { received, readAll, write } = joinedLetters()
  void readAll()
  await write('a', 'b')
  vi.setSystemTime(Date.now() + 249)
  await write('c')
  expect(received).toEqual(['a'])
  vi.setSystemTime(Date.now() + 1)
  await write('d')
  expect(received).toEqual(['a', 'bcd'])
})

test('reads nothing before it is read', async () => {
  const { reader, write, pulls } = joinedLetters()
  await settle()
  expect(pulls()).toBe(0)
  const read = reader.read()
  await settle()
  expect(pulls()).toBe(1)
  await write('a')
  expect((await read).value).toBe('a')
  expect(pulls()).toBe(1)
})

test('cancels its source, and sends nothing afterwards', async () => {
  const { reader, write, cancelled } = joinedLetters()
  void reader.read()
  await write('a')
  void reader.read()
  await write('b')
  await reader.cancel('enough')
  expect(cancelled()).toBe('enough')
  expect(vi.getTimerCount()).toBe(0)
})
