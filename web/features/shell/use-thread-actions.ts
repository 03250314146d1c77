/** Actions on threads: optimistic, with one undo in a toast, and with the reason of a refusal. A deletion can be undone on every device. */
import { useNavigate } from '@tanstack/react-router'
import { maxThreadsPerMutation } from '../../../worker/contract/limits.ts'
import { mutators } from '../../../worker/contract/mutators.ts'
import { useOpenThreadId } from '../../lib/navigation.ts'
import { serverNowMs } from '../../lib/server-clock.ts'
import { libText } from '../../lib/texts/en.ts'
import { type Action, settled, useAct } from '../../sync/act.ts'
import { recordOwnDeletion } from '../../sync/deletion-checks.ts'
import { useProjects } from '../../sync/organise.ts'
import { keep, writeOf } from '../../sync/outbox.ts'
import type { Outcome } from '../../sync/outcome.ts'
import type { ThreadRow } from '../../sync/rows.ts'
import { toastRefusal } from '../../ui/toast-refusal.ts'
import { toast } from '../../ui/toaster.tsx'
import { t } from './texts/en.ts'

type Threads = readonly ThreadRow[]

export function useThreadActions() {
  const act = useAct()
  const { projects } = useProjects()
  const navigate = useNavigate()
  const openThreadId = useOpenThreadId()
  const isOpen = ({ id }: ThreadRow) => id === openThreadId

  return {
    rename: (threadId: string, title: string, was: string) => {
      const mutation = mutators.threads.rename({ threadId, title })
      const outcome = settled(act(mutation))
      // An untitled thread shows a title that differs from its row.
      void keep(writeOf(mutation, was, null), outcome)
      void toastRefusal(outcome)
    },
    pin: ({ id, pinnedAt }: ThreadRow) =>
      void toastOutcome(act(mutators.threads.pin({ threadIds: [id], isPinned: pinnedAt == null, at: serverNowMs() }))),
    archive: (threads: Threads, isArchived: boolean) => {
      const count = threads.length
      const setArchived = (to: boolean) =>
        inBatches(threads, (threadIds) => act(mutators.threads.archive({ threadIds, isArchived: to, at: serverNowMs() })))
      void toastOutcome(setArchived(isArchived), {
        message: isArchived ? t('threadsArchived', { count }) : t('threadsRestored', { count }),
        undo: () => void toastOutcome(setArchived(!isArchived)),
      })
      if (isArchived && threads.some(isOpen)) void navigate({ to: '/' })
    },
    move: (threads: Threads, to: { readonly id: string; readonly name: string } | null) => {
      const count = threads.length
      // A thread may name a project that was deleted.
      const moved = Map.groupBy(threads, ({ projectId }) => projects.find(({ id }) => id === projectId)?.id ?? null)
      const move = (some: Threads, projectId: string | null) =>
        inBatches(some, (threadIds) => act(mutators.threads.move({ threadIds, projectId })))
      void toastOutcome(move(threads, to?.id ?? null), {
        message: to ? t('threadsMoved', { count, project: to.name }) : t('threadsRemovedFromProject', { count }),
        undo: () => void toastOutcome(mergeActions([...moved].map(([from, group]) => move(group, from)))),
      })
    },
    remove: (threads: Threads) => {
      const open = threads.find(isOpen)
      const [first] = threads
      for (const { id } of threads) {
        recordOwnDeletion(id, () => id === open?.id && void navigate({ to: '/$threadId', params: { threadId: id } }), first?.id)
      }
      const removal = settled(inBatches(threads, (threadIds) => act(mutators.threads.delete({ threadIds, at: serverNowMs() }))))
      for (const { id, updatedAt } of threads)
        void keep(writeOf(mutators.threads.delete({ threadIds: [id], at: serverNowMs() }), updatedAt), removal)
      void toastRefusal(removal)
      if (open) void navigate({ to: '/' })
    },
  }
}

/** One action of as few mutations as possible. */
export function inBatches(threads: readonly { readonly id: string }[], actOn: (threadIds: string[]) => Action): Action {
  const parts: Action[] = []
  for (let start = 0; start < threads.length; start += maxThreadsPerMutation) {
    parts.push(actOn(threads.slice(start, start + maxThreadsPerMutation).map(({ id }) => id)))
  }
  return mergeActions(parts)
}

/** The outcome is the first refusal, if there is one. */
function mergeActions(actions: readonly Action[]): Action {
  const all = async (outcomes: readonly Promise<Outcome>[]): Promise<Outcome> =>
    (await Promise.all(outcomes)).toSorted((a, b) => Number(a.ok) - Number(b.ok))[0] ?? { ok: true }
  return { client: all(actions.map(({ client }) => client)), server: all(actions.map(({ server }) => server)) }
}

type Done = { readonly message: string; readonly description?: string; readonly undo: () => void }

/** Shows `done` as soon as the rows on screen have changed, also without a connection, and a refusal when it comes. */
export async function toastOutcome({ client, server }: Action, done?: Done): Promise<boolean> {
  const early = await client
  if (early.ok && done) {
    const { message, description, undo } = done
    toast('success', message, { ...(description && { description }), action: { label: libText('undo'), onClick: undo } })
  }
  void toastRefusal(early.ok ? server : client)
  return early.ok
}
