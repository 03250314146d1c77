/** One toast per deletion or deleted selection, for the rest of its 30 seconds. All devices show the same; undo on one closes it on all. */
import { useEffect, useRef } from 'react'
import { undoToastMs } from '../../../worker/contract/limits.ts'
import { mutators } from '../../../worker/contract/mutators.ts'
import { cutAt } from '../../../worker/contract/text.ts'
import { libText } from '../../lib/texts/en.ts'
import { type Act, settled, useAct } from '../../sync/act.ts'
import { ownDeletion, removeOwnDeletion, undoLeftMs, useHasHiddenFollowUps } from '../../sync/deletion-checks.ts'
import type { Deletion } from '../../sync/deletions.ts'
import { dropWrite, writeOf } from '../../sync/outbox.ts'
import { toastRefusal } from '../../ui/toast-refusal.ts'
import { dismissToast, toast } from '../../ui/toaster.tsx'
import { t } from './texts/en.ts'
import { inBatches } from './use-thread-actions.ts'

type Props = { readonly deletions: readonly Deletion[] }
type Group = readonly [Deletion, ...Deletion[]]

export function UndoToasts({ deletions }: Props) {
  const act = useAct()
  const tookMore = useHasHiddenFollowUps()
  /** The toast of each deletion. */
  const toastsRef = useRef<ReadonlyMap<string, string>>(new Map())
  useEffect(() => {
    const before = toastsRef.current
    const now = new Map<string, string>()
    for (const group of groupDeletions(deletions, (id) => ownDeletion(id)?.groupId)) {
      const [first] = group
      const toastId = group.map(({ id }) => before.get(id)).find((id) => id !== undefined) ?? `deleted-${first.id}`
      for (const { id } of group) now.set(id, toastId)
      if (group.every(({ id }) => before.has(id)) && countOf(before, toastId) === group.length) continue
      const offer = offerOf(group, toastId, act)
      // It may have been undone during the read.
      if (offer) void tookMore(first).then((isMore) => toastsRef.current.get(first.id) === toastId && offer(isMore))
    }
    for (const id of before.keys()) if (!now.has(id)) removeOwnDeletion(id)
    for (const toastId of new Set(before.values())) if (countOf(now, toastId) === 0) dismissToast(toastId)
    toastsRef.current = now
  }, [deletions, act, tookMore])
  return null
}

const countOf = (toasts: ReadonlyMap<string, string>, toastId: string): number => [...toasts.values()].filter((id) => id === toastId).length

const titles = {
  message: ['messageDeleted', 'messageAndRestDeleted'],
  answer: ['answerDeleted', 'answerAndRestDeleted'],
} as const

/** Chosen: too short to read and press. */
const shortestOfferMs = 1500
/** Chosen: one line, because a long-lasting toast must not cover text. */
const maxWordsChars = 32

function offerOf(group: Group, toastId: string, act: Act): ((isMore: boolean) => void) | undefined {
  const [{ kind, id, text, deletedAt }] = group
  const count = group.length
  // A device dates its deletion itself until the server has.
  const leftMs = ownDeletion(id) ? undoToastMs : undoLeftMs(deletedAt)
  if (leftMs < shortestOfferMs) return undefined
  return (isMore) =>
    toast('success', kind === 'thread' ? t('threadsDeleted', { count }) : t(titles[kind][isMore ? 1 : 0]), {
      id: toastId,
      isSyncNotice: true,
      ...(count === 1 && text && { description: text.length > maxWordsChars ? `${cutAt(text, maxWordsChars)}…` : text }),
      durationMs: leftMs,
      action: { label: libText('undo'), onClick: () => void undoDeletions(group, act) },
    })
}

/** Chosen: the server dates the parts of a selection within this time, and two separate deletions of a user are further apart. */
const partsMs = 1000

/** What one toast undoes. `ownGroupId`: the selection that this page deleted. Those of other devices are recognised by their time. */
export function groupDeletions(deletions: readonly Deletion[], ownGroupId: (id: string) => string | undefined): readonly Group[] {
  const groups = new Map<string, [Deletion, ...Deletion[]]>()
  let previous: { readonly key: string; readonly deletedAt: number } | undefined
  for (const deletion of deletions.toSorted((a, b) => a.deletedAt - b.deletedAt)) {
    const { id, kind, deletedAt } = deletion
    const own = kind === 'thread' ? ownGroupId(id) : id
    const key = own ?? (previous && deletedAt - previous.deletedAt <= partsMs ? previous.key : id)
    if (own === undefined) previous = { key, deletedAt }
    const group = groups.get(key)
    if (group) group.push(deletion)
    else groups.set(key, [deletion])
  }
  return [...groups.values()]
}

/** Restores them and runs this page's follow-ups; shows a refusal. */
export async function undoDeletions(group: Group, act: Act): Promise<void> {
  const [{ kind, id, threadId }] = group
  for (const deletion of group) {
    ownDeletion(deletion.id)?.onUndo()
    dropWrite(writeOf(mutators.threads.delete({ threadIds: [deletion.id], at: 0 })))
  }
  const restored =
    kind === 'thread'
      ? inBatches(group, (threadIds) => act(mutators.threads.restore({ threadIds })))
      : act(mutators.messages.restore({ threadId, messageId: id }))
  await toastRefusal(settled(restored))
}
