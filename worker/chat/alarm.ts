/**
 * What is to be done about an answer when the alarm of its object rings, as a decision without side effects. The alarm is the heartbeat of
 * all answers that are being written there, their second chance when D1 could not be reached, and their gravedigger; an object that lost its
 * memory learns from it that it was writing.
 */
import { generationMaxMs } from '../contract/limits.ts'
import type { TurnState } from './turn-state.ts'

/** How long an ended answer can still be read from its log. By then every browser has the stored row. */
export const logKeptMs = 10 * 60 * 1000
/** Ours: who asks for more within `logKeptMs` of each other keeps no log for longer than that, at the price of rows that are deleted one by one. */
export const keptLogs = 100
/** Ours: as long as a guest who does not come back is kept. Until then the next answer finds the object and its tables. */
export const emptyKeptMs = 30 * 24 * 60 * 60 * 1000

/**
 * Ours: how long an attempt to write an ending to D1 is waited for, which takes milliseconds. Less than the alarm waits for its attempts
 * (`generationHeartbeatMs`), so that it hears of the failure and knows when to ring again.
 */
export const settlePatienceMs = 4000

const firstBackoffMs = 1000
const maxBackoffMs = 60_000

/**
 * `watch`: somebody is writing. `cut`: for longer than the platform lets a call last. `seal`: whoever was writing is gone. `settle`: the
 * ending is not known to be in D1.
 */
export type AlarmTask = 'watch' | 'cut' | 'seal' | 'settle' | 'none'

/** `liveSinceMs`: since when the work runs in this very object; null when it does not. */
export function alarmTask({ phase }: TurnState, liveSinceMs: number | null, nowMs: number): AlarmTask {
  if (phase === 'ended') return 'settle'
  if (phase !== 'running') return 'none'
  if (liveSinceMs === null) return 'seal'
  return nowMs - liveSinceMs >= generationMaxMs ? 'cut' : 'watch'
}

/** 1 s, 2 s, 4 s … a minute: D1 comes back within seconds after a restart and within minutes after an outage. */
export const settleBackoffMs = (attempts: number): number => Math.min(maxBackoffMs, firstBackoffMs * 2 ** Math.min(attempts, 10))
