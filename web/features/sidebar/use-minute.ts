import { useEffect, useState } from 'react'

/** The time, renewed every minute and when the page is looked at again, so that rolling groups roll. */
export function useMinute(): number {
  const [nowMs, setNowMs] = useState(Date.now)
  useEffect(() => {
    const update = () => {
      if (!document.hidden) setNowMs(Date.now())
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
