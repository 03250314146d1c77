/**
 * A thread with its newest messages. The window of messages covers all branches and grows through `loadOlder`. Separate queries load the
 * messages outside of it that a screen depends on.
 */
import { useQuery } from '@rocicorp/zero/react'
import { useCallback, useMemo } from 'react'
import { idSchema } from '../../worker/contract/ids.ts'
import { maxMessageWindow, messagePageSize } from '../../worker/contract/limits.ts'
import { queries } from '../../worker/contract/queries.ts'
import { createStore, useStored } from '../lib/store.ts'
import { useFirstRows } from './first-rows.ts'
import { mergeThread, withMissing } from './merge-rows.ts'
import { options } from './query-options.ts'
import { readableRows } from './readable-message.ts'
import type { MessageRow, SummaryRow, ThreadWithMessages } from './rows.ts'

export type ThreadState =
  | { readonly state: 'loading'; readonly thread?: undefined }
  | { readonly state: 'missing'; readonly thread?: undefined }
  | {
      readonly state: 'found'
      readonly thread: ThreadWithMessages
      /** The server has confirmed the thread and its window of messages. */
      readonly isComplete: boolean
      /** The window is full, so there may be older messages. */
      readonly hasOlder: boolean
      /** Grows the window. Undefined while the window is incomplete, and when there is nothing older. */
      readonly loadOlder: (() => void) | undefined
      /** True if the last message of the shown branch is loaded. */
      readonly hasHead: boolean
    }

const none: readonly MessageRow[] = []

/** Undefined subscribes to nothing. `messageIds`: messages to include regardless of the window. */
export function useThread(id: string | undefined, messageIds: readonly string[] = []): ThreadState {
  // The address may contain anything; an invalid id is not queried.
  const threadId = idSchema.safeParse(id).data
  const limit = useMessageWindow(threadId)
  const [row, { type }] = useQuery(threadId !== undefined && queries.threads.one({ threadId }), options)
  const [newest = none, { type: windowType }] = useQuery(threadId !== undefined && queries.messages.newest({ threadId, limit }), options)
  const hasOlder = newest.length >= limit && limit < maxMessageWindow
  // Versions of any other message come after the same parent. If the window holds the parent, it holds them all.
  const isFirstAlone = hasOlder && newest.some(({ parentId }) => parentId == null)
  const [firsts = none, { type: firstsType }] = useQuery(
    isFirstAlone && threadId !== undefined && queries.messages.beginnings({ threadId }),
    options,
  )
  const isWanted = messageIds.length > 0
  const [wanted = none, { type: wantedType }] = useQuery(isWanted && queries.messages.byIds({ messageIds: [...messageIds] }), options)
  const local = useMemo(
    () => row && { ...row, messages: withMissing(newest.toReversed(), [...firsts, ...wanted]) },
    [row, newest, firsts, wanted],
  )
  const served = useFirstRows()?.thread
  const thread = useMemo(() => {
    const merged = served && served.id === threadId ? mergeThread(local, served) : local
    return merged && { ...merged, messages: readableRows(merged.messages) }
  }, [local, served, threadId])
  const isComplete =
    type === 'complete' &&
    windowType === 'complete' &&
    (!isFirstAlone || firstsType === 'complete') &&
    (!isWanted || wantedType === 'complete')
  const grow = useCallback(() => threadId !== undefined && growMessageWindow(threadId, limit), [threadId, limit])
  if (threadId === undefined) return { state: 'missing' }
  if (!thread) return { state: type === 'complete' ? 'missing' : 'loading' }
  const loadOlder = isComplete && hasOlder ? grow : undefined
  return { state: 'found', thread, isComplete, hasOlder, loadOlder, hasHead: hasHead(local, thread) }
}

const hasHead = (local: ThreadWithMessages | undefined, { headId }: ThreadWithMessages): boolean =>
  local !== undefined && (headId == null || local.messages.some(({ id }) => id === headId))

const noSummaries: readonly SummaryRow[] = []

/** The summaries of a thread, on all branches. */
export function useSummaries(id: string): readonly SummaryRow[] {
  const threadId = idSchema.safeParse(id).data
  const [rows = noSummaries] = useQuery(threadId !== undefined && queries.summaries.ofThread({ threadId }), options)
  return rows
}

/** Newest messages per thread that this page subscribes to. A window keeps its size until the page closes. */
const limits = createStore<ReadonlyMap<string | undefined, number>>(new Map())

const useMessageWindow = (threadId: string | undefined): number =>
  useStored(limits, (byThread) => byThread.get(threadId) ?? messagePageSize)

/** Doubles a window of `limit` messages; repeated calls with the same limit have no effect. */
function growMessageWindow(threadId: string, limit: number): void {
  const byThread = limits.get()
  const grown = Math.max(byThread.get(threadId) ?? messagePageSize, Math.min(2 * limit, maxMessageWindow))
  limits.set(new Map(byThread).set(threadId, grown))
}
