/**
 * Resolves messages whose outcome no page receives: their page was closed, or their thread was deleted. If the server does not have a
 * message, this sends it again, because its page may have closed before the sync client stored it. A refused message returns to a composer.
 * Renders nothing.
 */
import { useEffect, useState } from 'react'
import { undoToastMs } from '../../../../worker/contract/limits.ts'
import { mutators, type SendArgs } from '../../../../worker/contract/mutators.ts'
import { newThreadKey } from '../../../../worker/contract/threads/draft-key.ts'
import type { QueueAddArgs } from '../../../../worker/contract/threads/queue-mutators.ts'
import { useMomentsPassed, useServerNow } from '../../../lib/server-clock.ts'
import { useStore } from '../../../lib/store.ts'
import { type Act, settled, useAct } from '../../../sync/act.ts'
import { useDeletionOf } from '../../../sync/deletions.ts'
import { useConnection } from '../../../sync/hooks.ts'
import { type ThreadState, useThread } from '../../../sync/thread.ts'
import { draftOf, isEmpty, setDraft } from './drafts.ts'
import { abandonUnsent, addUnsent, orphanedUnsent, resolveUnsent, returnedTo, type Unsent } from './outbox.ts'
import { t } from './texts/en.ts'

/** Chosen: the sync client delivers persisted writes within moments of connecting. Until then a missing row proves nothing. */
const untilRejectedMs = 3000
/** Chosen: an Undo that was pressed in the last second must still reach this page. */
const undoMarginMs = 5000

export const UnsentMessages = () =>
  [...useStore(orphanedUnsent).values()].map((unsent) => <Resolved key={unsent.messageId} unsent={unsent} />)

function Resolved({ unsent }: { readonly unsent: Unsent }) {
  const { messageId, threadId, startsThread } = unsent
  const act = useAct()
  const shown = useThread(threadId, [messageId])
  const deletedAt = useDeletionOf(threadId)?.deletedAt
  const restorableUntilMs = deletedAt === undefined ? 0 : deletedAt + undoToastMs + undoMarginMs
  useMomentsPassed([restorableUntilMs])
  const isRestorable = restorableUntilMs > useServerNow()
  const isConnected = useConnection().status === 'connected'
  const status = resolveUnsentStatus(unsent, { shown, isRestorable, isConnected })

  const isMissing = shown.state === 'missing'
  const [wasDeleted, setWasDeleted] = useState(false)
  const isDeleted = wasDeleted || deletedAt !== undefined || (isMissing && !startsThread)
  if (isDeleted !== wasDeleted) setWasDeleted(true)
  const draftKey = isMissing ? newThreadKey : threadId
  useEffect(() => {
    if (status !== 'confirmed' && status !== 'rejected') return undefined
    const end = () => {
      if (status === 'rejected' && unsent.write && !isDeleted) return void resend(act, unsent)
      if (status === 'rejected') returnToDraft(unsent, draftKey, isDeleted)
      resolveUnsent(messageId)
    }
    const timer = setTimeout(end, status === 'rejected' ? untilRejectedMs : 0)
    return () => clearTimeout(timer)
  }, [status, unsent, messageId, draftKey, isDeleted, act])
  return null
}

/** `pending`: the sync client still has to deliver it. `rejected`: all rows are here, and the message is not among them. */
export type UnsentStatus = 'unknown' | 'pending' | 'confirmed' | 'rejected'

type Circumstances = {
  readonly shown: ThreadState
  /** The thread was deleted and can still be restored. The message may be one of its rows, which only a restored thread shows. */
  readonly isRestorable: boolean
  readonly isConnected: boolean
}

export function resolveUnsentStatus({ messageId, sentAtMs }: Unsent, { shown, isRestorable, isConnected }: Circumstances): UnsentStatus {
  if (!isConnected || shown.state === 'loading') return 'unknown'
  if (shown.state === 'missing') return isRestorable ? 'unknown' : 'rejected'
  const { messages, queue } = shown.thread
  const message = messages.find(({ id }) => id === messageId)
  if (message) {
    // The server replaces the time of the optimistic row, and only the server answers.
    const isAnswered = messages.some(({ parentId }) => parentId === messageId)
    return message.createdAt !== sentAtMs || isAnswered ? 'confirmed' : 'pending'
  }
  const queued = queue.find(({ id }) => id === messageId)
  if (!queued) return shown.isComplete ? 'rejected' : 'unknown'
  // The optimistic row has the time of the message before it plus one, if that is later than this browser's clock.
  const isOurTime = queued.createdAt === sentAtMs || queue.some(({ createdAt }) => createdAt + 1 === queued.createdAt)
  return isOurTime ? 'pending' : 'confirmed'
}

/** The server rejects an id that it already has. The rows then decide the outcome. */
async function resend(act: Act, { write, ...unsent }: Unsent): Promise<void> {
  addUnsent(unsent)
  const mutation = write?.kind === 'queue' ? mutators.queue.add(write.args as QueueAddArgs) : mutators.threads.send(write?.args as SendArgs)
  const outcome = await settled(act(mutation))
  if (outcome.ok && !outcome.isPending) resolveUnsent(unsent.messageId)
  else abandonUnsent(unsent.messageId)
}

function returnToDraft({ text, files, choices, editing, isTemporary }: Unsent, draftKey: string, wasDeleted: boolean): void {
  const draft = draftOf(draftKey).get()
  const returned = { text, files, choices, editing: draftKey === newThreadKey ? null : editing }
  // The sending page may have restored the text before it closed, or another device may have saved the text as a draft.
  const isReturned = draft.text === text && draft.files.length === files.length
  // The text of a temporary chat is only offered, because this composer may start a thread that is kept.
  const isFree = !isTemporary && (isReturned || (isEmpty(draft) && !draft.editing))
  if (isFree && !isReturned) setDraft(draftKey, returned)
  const message = t(isTemporary ? 'temporaryNotAccepted' : wasDeleted ? 'deletedThread' : 'notAccepted')
  returnedTo(draftKey).set({ message, unsent: isFree ? null : returned })
}
