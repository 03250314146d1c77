// The number of concurrent readers of one answer, and which one is replaced. A broken connection may never be reported.
import { expect, test } from 'vitest'
import { OpenReaders } from '../../../worker/chat/turn/resumable-stream.ts'
import { maxStreamReaders, readerReplacedAfterMs } from '../../../worker/contract/limits.ts'

const request = {
  generationId: 'answer',
  userId: 'ada',
  threadId: 'thread',
  sessionId: 'session',
  after: 0,
  readerId: '',
  isSessionRead: true,
  waitMs: 0,
}

test('at the limit a new reader is refused while the oldest is new, and replaces it later', () => {
  const readers = new OpenReaders()
  const open = Array.from({ length: maxStreamReaders }, () => readers.register(request, 0))
  expect(readers.register(request, readerReplacedAfterMs - 1)).toBe(429)
  expect(readers.register(request, readerReplacedAfterMs)).toMatchObject({ signal: { aborted: false } })
  expect(open.map((reader) => typeof reader !== 'number' && reader.signal.aborted)).toEqual([
    true,
    ...Array(maxStreamReaders - 1).fill(false),
  ])
})
