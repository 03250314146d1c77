/** Rename and delete as a person meets them: done at once, undone from a toast on any device, refused with a reason. */
import { useNavigate, useParams } from '@tanstack/react-router'
import { announceOwnDeletion } from '../../stores/own-deletions.ts'
import { type Action, settled, useActions } from '../../sync/actions.ts'
import type { ThreadRow } from '../../sync/rows.ts'
import { toast } from '../../ui/toaster.tsx'

export function useThreadActions() {
  const { rename, remove } = useActions()
  const navigate = useNavigate()
  const openThreadId = useParams({ strict: false, select: ({ threadId }) => threadId })

  return {
    rename: (threadId: string, title: string) => void report(rename(threadId, title)),
    remove: ({ id }: ThreadRow) => {
      const wasOpen = id === openThreadId
      announceOwnDeletion(id, () => wasOpen && void navigate({ to: '/$threadId', params: { threadId: id } }))
      void report(remove(id))
      if (wasOpen) void navigate({ to: '/' })
    },
  }
}

async function report(action: Action): Promise<void> {
  const outcome = await settled(action)
  if (!outcome.ok) toast('error', outcome.refusal.message)
}
