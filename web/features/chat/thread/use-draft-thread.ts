/**
 * The thread that the page shows. A new thread has its id before it has a row, so that the composer stays mounted when the first message is
 * sent: the row appears under that id, and the address follows. A refused first message removes the row, and the address returns with the text
 * still in the composer.
 */
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { createId } from '../../../lib/create-id.ts'
import { useDeletionOf } from '../../../sync/deletions.ts'
import type { ThreadWithMessages } from '../../../sync/rows.ts'
import { useThread } from '../../../sync/thread.ts'

type ShownThread = {
  readonly threadId: string
  readonly view: 'empty' | 'thread' | 'not-found'
  readonly thread: ThreadWithMessages | undefined
}

/** `projectId`: the project in which a new thread starts. */
export function useDraftThread(routeThreadId: string | undefined, projectId: string | undefined): ShownThread {
  const [draftId, setDraftId] = useState(createId)
  const [lastRouteId, setLastRouteId] = useState(routeThreadId)
  /** The project of the last page of a new thread. */
  const [lastProjectId, setLastProjectId] = useState(projectId)
  /** The last draft that became a temporary thread. */
  const [temporaryId, setTemporaryId] = useState<string>()
  const threadId = routeThreadId ?? draftId
  const { state, thread } = useThread(threadId)
  const navigate = useNavigate()

  // The draft of this page became a thread and the user returned to `/`: start the next draft.
  // A temporary thread may have ended: its id is not used again.
  const isTemporary = temporaryId === draftId
  if (routeThreadId !== lastRouteId) {
    setLastRouteId(routeThreadId)
    if (routeThreadId === undefined && (state === 'found' || isTemporary)) setDraftId(createId())
  }
  if (routeThreadId === undefined && projectId !== lastProjectId) setLastProjectId(projectId)
  if (thread?.id === draftId && thread.expiresAt != null && !isTemporary) setTemporaryId(draftId)

  // A thread deleted on another device was not refused: the page shows the deletion, and the next message starts another thread.
  const isDeleted = useDeletionOf(threadId) !== undefined
  if (isDeleted && threadId === draftId) setDraftId(createId())

  const isDraft = threadId === draftId
  const isHome = routeThreadId === undefined
  const wasSent = isDraft && isHome && state === 'found'
  const wasRefused = isDraft && !isHome && state === 'missing'
  useEffect(() => {
    if (wasSent) void navigate({ to: '/$threadId', params: { threadId: draftId } })
    if (!wasRefused) return
    if (lastProjectId) void navigate({ to: '/project/$projectId', params: { projectId: lastProjectId }, replace: true })
    else void navigate({ to: '/', replace: true, search: isTemporary ? { temporary: true } : {} })
  }, [wasSent, wasRefused, isTemporary, lastProjectId, draftId, navigate])

  if (thread) return { threadId, view: 'thread', thread }
  if (isDraft) return { threadId, view: 'empty', thread: undefined }
  return { threadId, view: state === 'missing' ? 'not-found' : 'thread', thread: undefined }
}
