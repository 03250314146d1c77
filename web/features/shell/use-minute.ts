import { useEffect, useState } from 'react'
import { serverNowMs } from '../../lib/server-clock.ts'

/** The server time for the thread groups. Updated every minute and when the page becomes visible. */
export function useMinute(): number {
  const [nowMs, setNowMs] = useState(serverNowMs)
  useEffect(() => {
    const update = () => {
      if (!document.hidden) setNowMs(serverNowMs())
    }
    const timer = setInterval(update, 60_000)
    document.addEventListener('visibilitychange', update)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', update)
    }
  }, [])
  return nowMs
}
