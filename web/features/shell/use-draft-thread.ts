/**
 * Which thread the page shows. A new thread has its id before it has a row, so that the composer need not change when the
 * first message is sent: the row appears under that id, and the address follows. A refused first message takes the row away
 * again, and the address goes back with the text still in the composer.
 */
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { idSchema } from '../../../worker/contract/ids.ts'
import { createId } from '../../lib/create-id.ts'
import { useDeletionOf } from '../../sync/deletions.ts'
import type { ThreadWithMessages } from '../../sync/rows.ts'
import { useThread } from '../../sync/thread.ts'

export type ShownThread = {
  readonly threadId: string
  readonly view: 'empty' | 'thread' | 'not-found'
  readonly thread: ThreadWithMessages | undefined
}

export function useDraftThread(routeThreadId: string | undefined): ShownThread {
  const [draftId, setDraftId] = useState(createId)
  const [lastRouteId, setLastRouteId] = useState(routeThreadId)
  const threadId = routeThreadId ?? draftId
  // What cannot be an id is not asked for; the address bar accepts anything.
  const isPossible = idSchema.safeParse(threadId).success
  const { state, thread } = useThread(isPossible ? threadId : undefined)
  const navigate = useNavigate()

  // Arriving at `/` from a thread that was this page's draft: it has become a thread of its own, so the next one begins.
  if (routeThreadId !== lastRouteId) {
    setLastRouteId(routeThreadId)
    if (routeThreadId === undefined && state === 'found') setDraftId(createId())
  }

  // Deleted on another device, it was not refused: its place says so, and what is written next is a thread of its own.
  const isDeleted = useDeletionOf(threadId) !== undefined
  if (isDeleted && threadId === draftId) setDraftId(createId())

  const isDraft = threadId === draftId
  const isHome = routeThreadId === undefined
  const wasSent = isDraft && isHome && state === 'found'
  const wasRefused = isDraft && !isHome && state === 'missing'
  useEffect(() => {
    if (wasSent) void navigate({ to: '/$threadId', params: { threadId: draftId } })
    if (wasRefused) void navigate({ to: '/', replace: true })
  }, [wasSent, wasRefused, draftId, navigate])

  if (thread) return { threadId, view: 'thread', thread }
  if (isDraft) return { threadId, view: 'empty', thread: undefined }
  return { threadId, view: state === 'missing' ? 'not-found' : 'thread', thread: undefined }
}
