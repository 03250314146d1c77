import { useEffect, useReducer } from 'react'
import { onServerTime, serverNowMs, useServerNow } from './server-clock.ts'

/** A timer may fire slightly early. */
const marginMs = 500
/** Platform limit: timer delays are 32-bit. A timer of more than 24 days would fire at once. */
const longestWaitMs = 24 * 60 * 60 * 1000

/**
 * The number of these moments (epoch ms) that the server's clock has passed. Renders again when the next one passes, when the clock is
 * updated and when the page becomes visible, so that a tab left open stays correct.
 */
export function useMomentsPassed(momentsMs: readonly number[]): number {
  const [looks, lookAgain] = useReducer((looks: number) => looks + 1, 0)
  const nowMs = useServerNow()
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
