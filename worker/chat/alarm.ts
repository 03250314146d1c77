/**
 * What a generation does when its alarm rings, as a decision without side effects. The alarm is its heartbeat while it writes, its
 * second chance when D1 could not be reached, and its gravedigger; an object that lost its memory learns from it that it was writing.
 */
import { generationHeartbeatMs, generationMaxMs } from '../contract/limits.ts'
import type { TurnState } from './turn-state.ts'

/** How long an ended answer can still be read from its log. By then every browser has the stored row. */
export const logKeptMs = 10 * 60 * 1000

const firstBackoffMs = 1000
const maxBackoffMs = 60_000

export type AlarmTask =
  /** Nothing to do now; ring again at `atMs`. */
  | { readonly task: 'sleep'; readonly atMs: number }
  /** It has been going on for longer than the platform lets a call last. */
  | { readonly task: 'cut' }
  /** Whoever was writing is gone. */
  | { readonly task: 'seal' }
  | { readonly task: 'settle' }
  | { readonly task: 'forget' }

/** `liveSinceMs`: since when the work runs in this very object; null when it does not. */
export function alarmTask(state: TurnState, liveSinceMs: number | null, nowMs: number): AlarmTask {
  switch (state.phase) {
    case 'absent':
      return { task: 'forget' }
    case 'running':
      if (liveSinceMs === null) return { task: 'seal' }
      return nowMs - liveSinceMs >= generationMaxMs ? { task: 'cut' } : { task: 'sleep', atMs: nowMs + generationHeartbeatMs }
    case 'ended':
      return { task: 'settle' }
    case 'settled':
      return nowMs >= state.settledAtMs + logKeptMs ? { task: 'forget' } : { task: 'sleep', atMs: state.settledAtMs + logKeptMs }
  }
}

/** 1 s, 2 s, 4 s … a minute: D1 comes back within seconds after a restart and within minutes after an outage. */
export const settleBackoffMs = (attempts: number): number => Math.min(maxBackoffMs, firstBackoffMs * 2 ** Math.min(attempts, 10))
