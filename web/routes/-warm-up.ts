import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { afterFirstGesture } from '../lib/first-gesture.ts'
import { prepareAll } from '../lib/later.ts'

/** Brings the rest of the program in while nothing else is going on, so that every page also opens when the network is gone. */
export function useWarmUp(): void {
  const router = useRouter()
  useEffect(
    () =>
      afterFirstGesture(() => {
        prepareAll()
        // Only a warm-up: what fails here is fetched again, and reported, by whoever needs it.
        for (const route of Object.values(router.routesById)) router.loadRouteChunk(route)?.catch(() => undefined)
      }),
    [router],
  )
}
