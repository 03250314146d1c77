/**
 * Maintains open editors of queued messages in all threads: renews their leases, moves the text to the composer of the thread when the
 * message is gone, and repeats a save that a page close interrupted. Renders nothing.
 */
import { useEffect } from 'react'
import { queueEditorMs } from '../../../../worker/contract/limits.ts'
import { textOf } from '../../../../worker/contract/messages.ts'
import { useStore } from '../../../lib/store.ts'
import { useActions } from '../../../sync/actions.ts'
import { useConnection } from '../../../sync/hooks.ts'
import { useThread } from '../../../sync/thread.ts'
import { draftOf, isEmpty, setDraft } from '../composer/drafts.ts'
import { defaultChoices } from '../composer/message-choices.ts'
import { returnedTo } from '../composer/outbox.ts'
import { changeQueuedEdit, closeQueuedEdit, type QueuedEdit, queuedEdits } from './queued-edits.ts'
import { saveQueuedEdit } from './save-queued-edit.ts'
import { t } from './texts/en.ts'

/** Two renewals may be lost, or delayed in a hidden tab. */
const renewMs = queueEditorMs / 3

export function FinishQueuedEdits() {
  return [...useStore(queuedEdits)].map(([id, edit]) => <UnfinishedEdit key={id} id={id} edit={edit} />)
}

function UnfinishedEdit({ id, edit }: { readonly id: string; readonly edit: QueuedEdit }) {
  const { threadId, state, editorId } = edit
  const shown = useThread(threadId, [id])
  const actions = useActions()
  const { editQueuedIn } = actions
  const isConnected = useConnection().status === 'connected'
  const isWaiting = shown.state === 'found' && shown.thread.queue.some((queued) => queued.id === id)
  const isNoLongerQueued = shown.state === 'found' && shown.isComplete && !isWaiting
  const isRemoved = isNoLongerQueued && state === 'open'
  const sent = isRemoved ? shown.thread.messages.find((message) => message.id === id) : undefined

  useEffect(() => {
    // Offline, the mutation would wait and might reopen an editor that was closed meanwhile.
    if (!isWaiting || state !== 'open' || !isConnected) return undefined
    const renew = () => void editQueuedIn(id, editorId, true)
    renew()
    const timer = setInterval(renew, renewMs)
    return () => clearInterval(timer)
  }, [id, editorId, isWaiting, state, isConnected, editQueuedIn])

  useEffect(() => {
    if (state !== 'unacknowledged' || !isConnected) return
    if (isWaiting) void saveQueuedEdit(actions, id)
    else if (isNoLongerQueued) changeQueuedEdit(id, { state: 'open' })
  }, [id, isWaiting, isNoLongerQueued, state, isConnected, actions])

  useEffect(() => {
    if (!isRemoved) return
    closeQueuedEdit(id)
    const before = sent ? textOf(sent.message) : edit.was
    if (edit.text.trim() !== '' && edit.text !== before) moveToDraft(edit, sent !== undefined)
  }, [id, isRemoved, sent, edit])
  return null
}

function moveToDraft({ threadId, text }: QueuedEdit, isSent: boolean): void {
  const draft = draftOf(threadId).get()
  const isFree = isEmpty(draft) && !draft.editing
  if (isFree) setDraft(threadId, { text })
  const what = t(isSent ? 'sentBeforeSave' : 'removedElsewhere')
  returnedTo(threadId).set({
    message: isFree ? `${what} ${t('textIsHere')}` : what,
    unsent: isFree ? null : { text, files: [], choices: defaultChoices, editing: null },
  })
}
