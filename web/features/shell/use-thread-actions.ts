/** Actions on a thread: optimistic, with undo in a toast, and with the reason of a refusal. A deletion can be undone on every device. */
import { useNavigate, useParams } from '@tanstack/react-router'
import { refusalSentence } from '../../lib/refusals/sentence.ts'
import { libText } from '../../lib/texts/t.ts'
import { type Action, settled, useActions } from '../../sync/actions.ts'
import type { Outcome } from '../../sync/outcome.ts'
import { announceOwnDeletion } from '../../sync/own-deletions.ts'
import { trackChange } from '../../sync/row-changes.ts'
import type { ThreadRow } from '../../sync/rows.ts'
import { toast } from '../../ui/toaster.tsx'
import { t } from './texts/t.ts'

export function useThreadActions() {
  const { rename, remove, pin, archive, move } = useActions()
  const navigate = useNavigate()
  const openThreadId = useParams({ strict: false, select: ({ threadId }) => threadId })

  return {
    // An untitled thread shows a title that differs from its row.
    rename: (threadId: string, title: string, was: string) =>
      void reportOutcome(trackChange({ kind: 'title', threadId, value: title.trim(), was: [was, null] }, settled(rename(threadId, title)))),
    pin: ({ id, pinnedAt }: ThreadRow) => void report(pin([id], pinnedAt == null)),
    archive: ({ id, archivedAt }: ThreadRow) => {
      const isArchived = archivedAt == null
      void report(archive([id], isArchived), {
        message: isArchived ? t('threadArchived') : t('threadRestored'),
        undo: () => void report(archive([id], !isArchived)),
      })
      if (isArchived && id === openThreadId) void navigate({ to: '/' })
    },
    move: ({ id, projectId }: ThreadRow, to: { readonly id: string; readonly name: string } | null) =>
      void report(move([id], to?.id ?? null), {
        message: to ? t('threadMoved', { project: to.name }) : t('threadRemovedFromProject'),
        undo: () => void report(move([id], projectId ?? null)),
      }),
    remove: ({ id, updatedAt }: ThreadRow) => {
      const wasOpen = id === openThreadId
      announceOwnDeletion(id, () => wasOpen && void navigate({ to: '/$threadId', params: { threadId: id } }))
      void reportOutcome(trackChange({ kind: 'deletion', threadId: id, updatedAt }, settled(remove(id))))
      if (wasOpen) void navigate({ to: '/' })
    },
  }
}

async function reportOutcome(ended: Promise<Outcome>): Promise<void> {
  const outcome = await ended
  if (!outcome.ok) toast('error', refusalSentence(outcome.refusal))
}

type Done = { readonly message: string; readonly description?: string; readonly undo: () => void }

/** Shows `done` as soon as the rows on screen have changed, also without a connection, and a refusal when it comes. */
export async function report({ client, server }: Action, done?: Done): Promise<boolean> {
  const early = await client
  if (early.ok && done) {
    const { message, description, undo } = done
    toast('success', message, { ...(description && { description }), action: { label: libText('undo'), onClick: undo } })
  }
  void (early.ok ? server : client).then((outcome) => {
    if (!outcome.ok) toast('error', refusalSentence(outcome.refusal))
  })
  return early.ok
}
