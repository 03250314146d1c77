import { useEffect, useState } from 'react'
import { dayMs, dayOf } from '../../worker/contract/access.ts'
import { onServerTime, serverNowMs } from './server-clock.ts'

/** A timer may be a moment early. */
const marginMs = 500
const utcDay = (): number => dayOf(serverNowMs())

/** The UTC day by the server's clock, renewed when it changes, when that clock is heard and when the page is looked at again, so that a tab left open overnight counts anew. */
export function useUtcDay(): number {
  const [day, setDay] = useState(utcDay)
  useEffect(() => {
    const update = () => setDay(utcDay())
    const timer = setTimeout(update, (day + 1) * dayMs - serverNowMs() + marginMs)
    document.addEventListener('visibilitychange', update)
    const stopListening = onServerTime(update)
    return () => {
      clearTimeout(timer)
      stopListening()
      document.removeEventListener('visibilitychange', update)
    }
  }, [day])
  return day
}
