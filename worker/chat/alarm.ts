/**
 * Decides, without side effects, what the alarm of a Generation object does. The alarm is the heartbeat of a running answer, retries an
 * ending that D1 did not take, deletes the log after a while, and finds an answer that was running when the object restarted. Before it is
 * set, the alarm of the user's object covers the turn (worker/turns/SPEC.md, T2).
 */
import { generationMaxMs } from '../contract/limits.ts'
import type { TurnState } from './turn-state.ts'

/**
 * Chosen: the time limit for writing an ending to D1, which usually takes milliseconds. Shorter than `generationHeartbeatMs`, so that the
 * alarm knows of the failure before it sets its next time.
 */
export const settlePatienceMs = 4000

const firstBackoffMs = 1000
const maxBackoffMs = 60_000

/**
 * `watch`: the answer is running. `cut`: it has run longer than a call may take. `seal`: it was running when the object restarted. `settle`:
 * D1 has not confirmed its ending.
 */
export type AlarmTask = 'watch' | 'cut' | 'seal' | 'settle' | 'none'

/** `liveSinceMs`: when the work started in this instance of the object; null if it does not run here. */
export function alarmTask({ phase }: TurnState, liveSinceMs: number | null, nowMs: number): AlarmTask {
  if (phase === 'ended') return 'settle'
  if (phase !== 'running') return 'none'
  if (liveSinceMs === null) return 'seal'
  return nowMs - liveSinceMs >= generationMaxMs ? 'cut' : 'watch'
}

/** 1 s, 2 s, 4 s … a minute: D1 comes back within seconds after a restart and within minutes after an outage. */
export const settleBackoffMs = (attempts: number): number => Math.min(maxBackoffMs, firstBackoffMs * 2 ** Math.min(attempts, 10))
