/** The running work of an answer, without storage: chunks go to the writer, and `finished` is called once with the outcome unless stopped. */
import type { TurnOrder } from '../../contract/turn.ts'
import type { Outcome, RunHost } from '../model/call.ts'
import { failure } from '../model/failures.ts'
import type { ChunkWriter } from './chunk-writer.ts'

export type LiveRun = {
  readonly writer: ChunkWriter
  readonly sinceMs: number
  /** Aborts the work. Its later output is ignored. */
  stop(): void
}

export type WorkOrder = Pick<TurnOrder, 'history' | 'model' | 'fallbacks' | 'mode' | 'effort' | 'person'>

/** An exception becomes a failed outcome; otherwise the answer would run until its time limit. */
export type Work = (host: RunHost) => Promise<Outcome>

type Host = Pick<RunHost, 'nowMs' | 'onRequest' | 'onResponse'> & { readonly finished: (outcome: Outcome) => void }

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
