import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { afterFirstGesture, preloadAll, savesData } from '../lib/lazy-part.ts'
import { useOfflineThreads } from '../sync/offline-threads.ts'

/**
 * True after the first gesture. Loads the rest of the program and the newest threads while the page is idle, so that they also open without a
 * network. A browser that saves data loads each part when it is needed.
 */
export function useWarmUp(): boolean {
  const router = useRouter()
  const [isWarm, setWarm] = useState(false)
  useEffect(
    () =>
      afterFirstGesture(() => {
        setWarm(true)
        if (savesData()) return
        preloadAll()
        // Preloading only: the component that needs a failed chunk loads it again and reports the failure.
        for (const route of Object.values(router.routesById)) router.loadRouteChunk(route)?.catch(() => undefined)
      }),
    [router],
  )
  useOfflineThreads(isWarm)
  return isWarm
}
