import { nextDayStartMs } from '../../worker/contract/access.ts'
import { formatTime } from './i18n/format-dates.ts'

/** The time of the next daily reset, in the user's time zone. */
export const resetTime = (nowMs: number): string => formatTime(nextDayStartMs(nowMs))
