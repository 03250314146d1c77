/** When the counts of the day begin anew, as the reader's own clock has it. */
import { nextDayStartMs } from '../../worker/contract/access.ts'

export const resetTime = (nowMs: number): string =>
  new Date(nextDayStartMs(nowMs)).toLocaleTimeString([], { hour: 'numeric', minute: '2-digit' })
