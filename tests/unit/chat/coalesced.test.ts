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
  const stream = coalesced<string, string>(
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
      read: (value, emit) => {
        emit(value)
        return value === '0'
      },
      end: (emit, failure) => {
        if (failure) emit(`9: ${String(failure.error)}`)
      },
      intervalMs: 10,
      join: (first, second) => (/\d/.test(first + second) ? null : first + second),
      isUrgent: (value) => /\d/.test(value),
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

test('sends the values of the first tick joined, and then those of each interval', async () => {
  const { received, readAll, write } = joinedLetters()
  void readAll()
  await write('a', 'b')
  expect(received).toEqual(['ab'])
  await write('c', 'd')
  await vi.advanceTimersByTimeAsync(9)
  expect(received).toEqual(['ab'])
  await vi.advanceTimersByTimeAsync(1)
  expect(received).toEqual(['ab', 'cd'])
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
  expect(received).toEqual(['ab', '1'])
})

test('sends all values before the end', async () => {
  const { received, readAll, write, end } = joinedLetters()
  void readAll()
  await write('a', 'b')
  end()
  await settle()
  expect(received).toEqual(['ab', 'end'])
  expect(vi.getTimerCount()).toBe(0)
})

test('after an error of the source, sends all values, then the value for the error', async () => {
  const { received, readAll, write, fail } = joinedLetters()
  void readAll()
  await write('a', 'b')
  fail('lost')
  await settle()
  expect(received).toEqual(['ab', '9: lost', 'end'])
})

test('ends at a value that ends the stream, and cancels its source', async () => {
  const { received, readAll, write, cancelled } = joinedLetters()
  void readAll()
  await write('a', '0', 'b')
  expect(received).toEqual(['a', '0', 'end'])
  expect(cancelled()).toBeUndefined()
  expect(vi.getTimerCount()).toBe(0)
})

test('when timers are late, a value waits for 250 ms at most', async () => {
  const { received, readAll, write } = joinedLetters()
  void readAll()
  await write('a')
  await write('b')
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
  // While a value may be joined with the next one.
  expect(pulls()).toBe(2)
  await vi.advanceTimersByTimeAsync(1000)
  expect(pulls()).toBe(2)
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
