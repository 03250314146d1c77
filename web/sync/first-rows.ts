/**
 * The rows inlined into the page, shown until the first poke. They may be stale: newer local rows take precedence, and all of them are
 * dropped together shortly after the first poke.
 */
import { useConnectionState, useQuery, useZero } from '@rocicorp/zero/react'
import { useEffect } from 'react'
import type { FirstPage } from '../../worker/contract/first-page.ts'
import { queries } from '../../worker/contract/queries.ts'
import { inlinedPage } from '../lib/page-settings.ts'
import { createStore, useStore } from '../lib/store.ts'
import { options } from './query-options.ts'

const firstPage = createStore<FirstPage | null>(inlinedPage?.firstPage ?? null)

/** Null after they were dropped, or if they belong to another user. */
export function useFirstRows(): FirstPage | null {
  const { userID } = useZero()
  const page = useStore(firstPage)
  return page?.session.userId === userID ? page : null
}

/** Resolves after the first poke; at once without inlined rows. */
export function firstRowsEnd(): Promise<void> {
  if (!hasFirstRows()) return Promise.resolve()
  const { promise, resolve } = Promise.withResolvers<void>()
  const unsubscribe = firstPage.subscribe(() => {
    if (hasFirstRows()) return
    unsubscribe()
    resolve()
  })
  return promise
}

export const hasFirstRows = (): boolean => firstPage.get() !== null

/** A thread that the user has just deleted must not remain among the inlined rows. */
export function forgetFirstThread(threadId: string): void {
  const page = firstPage.get()
  if (!page) return
  const { thread, threads } = page
  firstPage.set({
    ...page,
    thread: thread?.id === threadId ? null : thread,
    threads: threads.filter(({ id }) => id !== threadId),
  })
}

/** Chosen: the first poke follows `connected` within a frame or two. Until it is rendered, older local rows must not appear. */
const untilPokedMs = 250

/** Drops the inlined rows after the first poke. Mounted once, next to the components that show them. */
export function useFirstRowsEnd(): void {
  const isConnected = useConnectionState().name === 'connected'
  const [, { type }] = useQuery(queries.me(), options)
  const isServerKnown = isConnected && type !== 'unknown'
  useEffect(() => {
    if (!isServerKnown || !hasFirstRows()) return undefined
    const timer = setTimeout(() => firstPage.set(null), untilPokedMs)
    return () => clearTimeout(timer)
  }, [isServerKnown])
}
