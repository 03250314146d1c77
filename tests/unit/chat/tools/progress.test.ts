// Progress of a running call in the stream: the newest report of each second.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withProgress } from '../../../../worker/chat/tools/progress.ts'
import { storedBytes } from '../../../../worker/chat/turn/settlement.ts'
import { toolProgressMs } from '../../../../worker/contract/limits.ts'
import { applyChunk, type StreamChunk } from '../../../../worker/contract/threads/message-stream.ts'
import type { MessagePart } from '../../../../worker/contract/threads/messages.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('[Y12] a server that reports all the time is shown once a second, with its newest report', async () => {
  const chunks: StreamChunk[] = []
  const call = withProgress(
    (chunk) => chunks.push(chunk),
    'call',
    async (onProgress) => {
      for (let progress = 0; progress < 5000; progress++) {
        onProgress({ progress })
        await vi.advanceTimersByTimeAsync(1)
      }
      return onProgress
    },
  )
  const report = await call
  expect(chunks).toEqual([0, 999, 1999, 2999, 3999, 4999].map((progress) => ({ type: 'tool-progress', toolCallId: 'call', progress })))
  report({ progress: 1 })
  await vi.advanceTimersByTimeAsync(10 * toolProgressMs)
  expect(chunks).toHaveLength(6)
})

test('[Y12] progress is shown while the call runs, and is not part of its result', () => {
  const call: StreamChunk = { type: 'tool-input-available', toolCallId: 'c', toolName: 'wait', input: {} }
  const report: StreamChunk = { type: 'tool-progress', toolCallId: 'c', progress: 1, total: 2, message: 'Half' }
  const partOf = (...chunks: StreamChunk[]) => chunks.reduce<readonly MessagePart[]>(applyChunk, [])[0]
  expect(partOf(call, report)).toMatchObject({ progress: { progress: 1, total: 2, message: 'Half' } })
  for (const end of [
    { type: 'tool-output-available', toolCallId: 'c', output: 1 },
    { type: 'tool-output-error', toolCallId: 'c', errorCode: 'unexpected', errorText: 'No' },
    { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c', isInput: true },
    { type: 'finish' },
  ] as const)
    expect(partOf(call, report, end, report)).not.toHaveProperty('progress')
  expect(partOf(report)).toBeUndefined()
  expect(storedBytes(report)).toBe(0)
})
