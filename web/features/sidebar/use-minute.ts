import { useEffect, useState } from 'react'
import { serverNowMs } from '../../lib/server-clock.ts'

/** The server's time, by which threads are dated; renewed every minute and when the page is looked at again, so that rolling groups roll. */
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
