/** Rename and delete: optimistic, with undo in a toast on every device, and with the reason of a refusal. */
import { useNavigate, useParams } from '@tanstack/react-router'
import { settled, useActions } from '../../sync/actions.ts'
import { announceOwnDeletion } from '../../sync/deletions.ts'
import type { Outcome } from '../../sync/outcome.ts'
import { trackChange } from '../../sync/row-changes.ts'
import type { ThreadRow } from '../../sync/rows.ts'
import { toast } from '../../ui/toaster.tsx'

export function useThreadActions() {
  const { rename, remove } = useActions()
  const navigate = useNavigate()
  const openThreadId = useParams({ strict: false, select: ({ threadId }) => threadId })

  return {
    // An untitled thread shows a title that differs from its row.
    rename: (threadId: string, title: string, was: string) =>
      void report(trackChange({ kind: 'title', threadId, value: title.trim(), was: [was, null] }, settled(rename(threadId, title)))),
    remove: ({ id, updatedAt }: ThreadRow) => {
      const wasOpen = id === openThreadId
      announceOwnDeletion(id, () => wasOpen && void navigate({ to: '/$threadId', params: { threadId: id } }))
      void report(trackChange({ kind: 'deletion', threadId: id, updatedAt }, settled(remove(id))))
      if (wasOpen) void navigate({ to: '/' })
    },
  }
}

async function report(ended: Promise<Outcome>): Promise<void> {
  const outcome = await ended
  if (!outcome.ok) toast('error', outcome.refusal.message)
}
