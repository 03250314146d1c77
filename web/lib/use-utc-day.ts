import { useEffect, useState } from 'react'
import { dayMs, dayOf } from '../../worker/contract/access.ts'

/** A timer may be a moment early. */
const marginMs = 500
const utcDay = (): number => dayOf(Date.now())

/** The UTC day, renewed when it changes and when the page is looked at again, so that a tab left open overnight counts anew. */
export function useUtcDay(): number {
  const [day, setDay] = useState(utcDay)
  useEffect(() => {
    const update = () => setDay(utcDay())
    const timer = setTimeout(update, (day + 1) * dayMs - Date.now() + marginMs)
    document.addEventListener('visibilitychange', update)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', update)
    }
  }, [day])
  return day
}
