/** The time of the next daily reset, in the user's time zone. */
import { nextDayStartMs } from '../../worker/contract/access.ts'

export const resetTime = (nowMs: number): string =>
  new Date(nextDayStartMs(nowMs)).toLocaleTimeString([], { hour: 'numeric', minute: '2-digit' })
