import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { afterFirstGesture, preloadAll } from '../lib/lazy-part.ts'

/**
 * True after the first gesture. Loads the rest of the program while the page is idle, so that every page also opens without a network. A
 * browser that saves data loads each part when it is needed.
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
  return isWarm
}

/** The user's Data Saver setting, which only Chromium reports. */
const savesData = (): boolean => 'connection' in navigator && (navigator.connection as { saveData?: boolean }).saveData === true
