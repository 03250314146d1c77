/** Loads the newest threads with their messages while the page is idle, so that they open without a network, also on a new device. */
import { useZero } from '@rocicorp/zero/react'
import { useEffect } from 'react'
import { offlineTextBytes, offlineThreads } from '../../worker/contract/preload-limits.ts'
import { queries } from '../../worker/contract/queries.ts'
import { savesData, whenIdle } from '../lib/lazy-part.ts'
import { options } from './query-options.ts'

/**
 * Grows one window of threads, because a query for each thread would write hundreds of rows in the user's object at every page load. A window
 * that the browser already has sends nothing.
 *
 * Draws nothing.
 */
export function OfflineThreads(): null {
  const zero = useZero()
  useEffect(() => {
    let isCurrent = true
    let release = () => {}
    const load = async () => {
      for (const [index, limit] of offlineThreads.entries()) {
        await whenIdle()
        if (!isCurrent || savesData()) return
        const query = queries.threads.whole({ limit })
        const { cleanup, complete } = zero.preload(query, options)
        const releaseSmaller = release
        release = cleanup
        await complete
        releaseSmaller()
        const threads = await zero.run(query)
        const bytes = await sizeOf(threads.map(({ messages }) => messages))
        const next = offlineThreads[index + 1] ?? limit
        if (threads.length < limit || (bytes * next) / limit > offlineTextBytes) return
      }
    }
    // A refused query or a closed client: the threads load when they are opened.
    load().catch(() => undefined)
    return () => {
      isCurrent = false
      release()
    }
  }, [zero])
  return null
}

/** Length as JSON, which is close to the size in bytes. Yields, because 2 MB take longer than a frame. */
async function sizeOf(parts: readonly unknown[]): Promise<number> {
  let size = 0
  for (const [index, part] of parts.entries()) {
    if (index % 20 === 0) await whenIdle()
    size += JSON.stringify(part).length
  }
  return size
}
