/** Rename and delete as a person meets them: done at once, undone from the toast, refused with a reason. */
import { useNavigate, useParams } from '@tanstack/react-router'
import { undoToastMs } from '../../../worker/contract/limits.ts'
import { type Action, settled, useActions } from '../../sync/actions.ts'
import type { ThreadRow } from '../../sync/rows.ts'
import { toast } from '../../ui/toaster.tsx'
import { titleOf } from './thread-title.ts'

export function useThreadActions() {
  const { rename, remove, restore } = useActions()
  const navigate = useNavigate()
  const openThreadId = useParams({ strict: false, select: ({ threadId }) => threadId })

  return {
    rename: (threadId: string, title: string) => void report(rename(threadId, title)),
    remove: (thread: ThreadRow) => {
      const wasOpen = thread.id === openThreadId
      void report(remove(thread.id))
      if (wasOpen) void navigate({ to: '/' })
      const undo = () => {
        void report(restore(thread.id))
        if (wasOpen) void navigate({ to: '/$threadId', params: { threadId: thread.id } })
      }
      toast('success', 'Thread deleted', {
        id: `deleted-${thread.id}`,
        description: titleOf(thread),
        durationMs: undoToastMs,
        action: { label: 'Undo', onClick: undo },
      })
    },
  }
}

async function report(action: Action): Promise<void> {
  const outcome = await settled(action)
  if (!outcome.ok) toast('error', outcome.refusal.message)
}
