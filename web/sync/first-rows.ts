/**
 * The rows that the page was served with, shown until the sync client has been told how things are. They may be old: local rows that are
 * newer stand before them, and they leave for good, all at once, shortly after the first poke.
 */
import { useConnectionState, useQuery, useZero } from '@rocicorp/zero/react'
import { useEffect, useSyncExternalStore } from 'react'
import type { FirstPage } from '../../worker/contract/first-page.ts'
import { queryTtlMs } from '../../worker/contract/limits.ts'
import { queries } from '../../worker/contract/queries.ts'
import { inlinedPage } from '../lib/inlined-page.ts'

let firstPage: FirstPage | null = inlinedPage?.firstPage ?? null
const listeners = new Set<() => void>()

function replace(next: FirstPage | null): void {
  firstPage = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Null when there are none any more, or when they are another person's. */
export function useFirstRows(): FirstPage | null {
  const { userID } = useZero()
  const page = useSyncExternalStore(subscribe, () => firstPage)
  return page?.session.userId === userID ? page : null
}

/** Resolves once the server has spoken; at once when there is nothing to wait for. */
export function firstRowsEnd(): Promise<void> {
  if (!firstPage) return Promise.resolve()
  const { promise, resolve } = Promise.withResolvers<void>()
  const unsubscribe = subscribe(() => {
    if (firstPage) return
    unsubscribe()
    resolve()
  })
  return promise
}

export const hasFirstRows = (): boolean => firstPage !== null

/** What a person has just deleted must not stay because the page was served with it. */
export function forgetFirstThread(threadId: string): void {
  if (!firstPage) return
  const { thread, threads } = firstPage
  replace({
    ...firstPage,
    thread: thread?.id === threadId ? null : thread,
    threads: threads.filter(({ id }) => id !== threadId),
  })
}

/** The first poke follows `connected` within a frame or two; until it is drawn, older local rows must not shine through. */
const untilPokedMs = 250

/** Ends the first rows once the server has spoken. Mounted once, beside everything that shows them. */
export function useFirstRowsEnd(): void {
  const isConnected = useConnectionState().name === 'connected'
  const [, { type }] = useQuery(queries.me(), { ttl: queryTtlMs })
  const isTold = isConnected && type !== 'unknown'
  useEffect(() => {
    if (!isTold || !firstPage) return undefined
    const timer = setTimeout(() => replace(null), untilPokedMs)
    return () => clearTimeout(timer)
  }, [isTold])
}
