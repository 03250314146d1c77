import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { afterFirstGesture } from '../lib/first-gesture.ts'
import { fetchParts } from '../lib/later.ts'
import { warmToasts } from '../ui/toaster.tsx'
import { loadThreadView } from './-thread-view.ts'

/** Brings the rest of the program in while nothing else is going on, so that every page also opens when the network is gone. */
export function useWarmUp(): void {
  const router = useRouter()
  useEffect(
    () =>
      afterFirstGesture(() => {
        const parts = [
          loadThreadView(),
          warmToasts(),
          ...fetchParts(),
          ...Object.values(router.routesById).map((route) => router.loadRouteChunk(route)),
        ]
        // Only a warm-up: whatever fails here is fetched again, and reported, by whoever needs it.
        for (const part of parts) part?.catch(() => undefined)
      }),
    [router],
  )
}
