/** Progress of a running tool call, as chunks of the stream. A server may report thousands of times, so the newest report of each interval counts. */
import { toolProgressMs } from '../../contract/limits.ts'
import type { ToolProgress } from '../../contract/threads/messages.ts'
import type { Emit } from '../research/research-log.ts'

export type OnProgress = (progress: ToolProgress) => void

/** Runs a call. Reports that come after its end are ignored. */
export async function withProgress<T>(emit: Emit, toolCallId: string, run: (onProgress: OnProgress) => Promise<T>): Promise<T> {
  let newest: ToolProgress | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  const write = () => {
    timer = undefined
    if (newest === null) return
    emit({ type: 'tool-progress', toolCallId, ...newest })
    newest = null
    timer = setTimeout(write, toolProgressMs)
  }
  let isOver = false
  try {
    return await run((progress) => {
      if (isOver) return
      newest = progress
      if (timer === undefined) write()
    })
  } finally {
    isOver = true
    clearTimeout(timer)
  }
}
