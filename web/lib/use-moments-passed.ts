import { useEffect, useReducer } from 'react'
import { dayMs } from '../../worker/contract/access.ts'
import { onServerTime, serverNowMs } from './server-clock.ts'

/** A timer may be a moment early. */
const marginMs = 500
/** Browsers count the wait of a timer in 32 bits: one of more than 24 days would be over at once. */
const longestWaitMs = dayMs

/**
 * How many of these moments (epoch ms) the server's clock has passed. Renders again when it passes the next one, when that clock is heard and
 * when the page is looked at again: a tab left open says what is true now, and so does one whose clock was a second behind when the rows came.
 */
export function useMomentsPassed(momentsMs: readonly number[]): number {
  const [looks, lookAgain] = useReducer((looks: number) => looks + 1, 0)
  const nowMs = serverNowMs()
  const nextMs = Math.min(...momentsMs.filter((atMs) => atMs > nowMs))
  // biome-ignore lint/correctness/useExhaustiveDependencies(looks): the clock may have been set back while the timer ran
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const wait = () => {
      const waitMs = nextMs - serverNowMs() + marginMs
      if (waitMs <= longestWaitMs) timer = setTimeout(lookAgain, Math.max(0, waitMs))
      else if (nextMs !== Number.POSITIVE_INFINITY) timer = setTimeout(wait, longestWaitMs)
    }
    wait()
    document.addEventListener('visibilitychange', lookAgain)
    const stopListening = onServerTime(lookAgain)
    return () => {
      clearTimeout(timer)
      stopListening()
      document.removeEventListener('visibilitychange', lookAgain)
    }
  }, [nextMs, looks])
  return momentsMs.filter((atMs) => atMs <= nowMs).length
}
