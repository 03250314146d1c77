/**
 * The work on an answer in progress. Knows nothing of storage: chunks go out through the writer, and `finished` tells once how it went,
 * unless somebody stopped it first.
 */
import type { AskingLine } from './asking-line.ts'
import type { ChunkWriter } from './chunk-writer.ts'
import { failure } from './failures.ts'
import type { Outcome, RunHost } from './run.ts'
import type { Later } from './storage.ts'

/**
 * Ours: by then a question has left, on a connection that is open. What is done sooner might hold it up, and what is not done by then is
 * forgotten by a crash.
 */
export const askingMs = 2

export type LiveRun = {
  readonly writer: ChunkWriter
  readonly sinceMs: number
  /** The work is aborted at once, and nothing it says after this is heard. */
  stop(): void
}

/** Ends in an outcome; what it throws all the same is one, too, or its answer would be waited for until it is cut. */
export type Work = (host: RunHost) => Promise<Outcome>

type Host = {
  readonly finished: (outcome: Outcome) => void
  readonly later: Later
  readonly nowMs: () => number
  readonly silenceMs: number
  readonly asking: AskingLine
}

export function startRun(work: Work, writer: ChunkWriter, { finished, ...host }: Host): LiveRun {
  const call = new AbortController()
  const run = async (): Promise<Outcome> => work({ ...host, writer, signal: call.signal })
  const surprised = (error: unknown): Outcome => ({ ending: 'failed', failure: failure('model_error'), error })
  void run()
    .catch(surprised)
    .then((outcome) => {
      if (!call.signal.aborted) finished(outcome)
    })
  return { writer, sinceMs: host.nowMs(), stop: () => call.abort() }
}
