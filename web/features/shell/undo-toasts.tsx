/** One toast per deletion, for the rest of its 30 seconds. All devices show the same toast; undo on one device closes it on all. */
import { useEffect, useRef } from 'react'
import { undoToastMs } from '../../../worker/contract/limits.ts'
import { cutAt } from '../../../worker/contract/text-end.ts'
import { refusalSentence } from '../../lib/refusals/sentence.ts'
import { libText } from '../../lib/texts/t.ts'
import { type Actions, settled, useActions } from '../../sync/actions.ts'
import { useTookMore } from '../../sync/deletion-checks.ts'
import { type Deletion, undoLeftMs } from '../../sync/deletions.ts'
import { ownDeletion, removeOwnDeletion } from '../../sync/own-deletions.ts'
import { resolveDeletion } from '../../sync/row-changes.ts'
import { dismissToast, toast } from '../../ui/toaster.tsx'
import { t } from './texts/t.ts'

type Props = { readonly deletions: readonly Deletion[] }

export function UndoToasts({ deletions }: Props) {
  const actions = useActions()
  const tookMore = useTookMore()
  const knownRef = useRef<ReadonlySet<string>>(new Set())
  useEffect(() => {
    const known = knownRef.current
    for (const deletion of deletions) {
      if (known.has(deletion.id)) continue
      const offer = offerOf(deletion, actions)
      // It may have been undone during the read.
      if (offer) void tookMore(deletion).then((isMore) => knownRef.current.has(deletion.id) && offer(isMore))
    }
    const present = new Set(deletions.map(({ id }) => id))
    for (const id of known) {
      if (present.has(id)) continue
      removeOwnDeletion(id)
      dismissToast(toastId(id))
    }
    knownRef.current = present
  }, [deletions, actions, tookMore])
  return null
}

const titles = {
  thread: ['threadWasDeleted', 'threadWasDeleted'],
  message: ['messageDeleted', 'messageAndRestDeleted'],
  answer: ['answerDeleted', 'answerAndRestDeleted'],
} as const
const toastId = (id: string): string => `deleted-${id}`

/** Chosen: too short to read and press. */
const shortestOfferMs = 1500
/** Chosen: one line, because a long-lasting toast must not cover text. */
const maxWordsChars = 32

function offerOf(deletion: Deletion, actions: Actions): ((isMore: boolean) => void) | undefined {
  const { kind, id, words, deletedAt } = deletion
  // A device dates its deletion itself until the server has.
  const leftMs = ownDeletion(id) ? undoToastMs : undoLeftMs(deletedAt)
  if (leftMs < shortestOfferMs) return undefined
  return (isMore) =>
    toast('success', t(titles[kind][isMore ? 1 : 0]), {
      id: toastId(id),
      isSyncNotice: true,
      ...(words && { description: words.length > maxWordsChars ? `${cutAt(words, maxWordsChars)}…` : words }),
      durationMs: leftMs,
      action: { label: libText('undo'), onClick: () => void undoDeletion(deletion, actions) },
    })
}

/** Restores it and runs this page's follow-up; shows a refusal. */
export async function undoDeletion({ kind, id, threadId }: Deletion, actions: Actions): Promise<void> {
  ownDeletion(id)?.()
  resolveDeletion(id)
  const outcome = await settled(kind === 'thread' ? actions.restore(id) : actions.restoreMessage(threadId, id))
  if (!outcome.ok) toast('error', refusalSentence(outcome.refusal))
}
