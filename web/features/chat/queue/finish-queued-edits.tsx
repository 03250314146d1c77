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
import { returnedTo } from '../composer/outbox.ts'
import { changeQueuedEdit, closeQueuedEdit, type QueuedEdit, queuedEdits, saveQueuedEdit } from './queued-edits.ts'

/** Two renewals may be lost, or delayed in a hidden tab. */
const renewMs = queueEditorMs / 3

export function QueuedEdits() {
  return [...useStore(queuedEdits)].map(([id, edit]) => <KeptEdit key={id} id={id} edit={edit} />)
}

function KeptEdit({ id, edit }: { readonly id: string; readonly edit: QueuedEdit }) {
  const { threadId, state, editorId } = edit
  const shown = useThread(threadId, [id])
  const actions = useActions()
  const { editQueuedIn } = actions
  const isConnected = useConnection().status === 'connected'
  const isWaiting = shown.state === 'found' && shown.thread.queue.some((queued) => queued.id === id)
  const hasLeft = shown.state === 'found' && shown.isComplete && !isWaiting
  const isGone = hasLeft && state === 'open'
  const said = isGone ? shown.thread.messages.find((message) => message.id === id) : undefined

  useEffect(() => {
    // Offline, the mutation would wait and might reopen an editor that was closed meanwhile.
    if (!isWaiting || state !== 'open' || !isConnected) return undefined
    const tell = () => void editQueuedIn(id, editorId, true)
    tell()
    const timer = setInterval(tell, renewMs)
    return () => clearInterval(timer)
  }, [id, editorId, isWaiting, state, isConnected, editQueuedIn])

  useEffect(() => {
    if (state !== 'unheard' || !isConnected) return
    if (isWaiting) void saveQueuedEdit(actions, id)
    else if (hasLeft) changeQueuedEdit(id, { state: 'open' })
  }, [id, isWaiting, hasLeft, state, isConnected, actions])

  useEffect(() => {
    if (!isGone) return
    closeQueuedEdit(id)
    const before = said ? textOf(said.message) : edit.was
    if (edit.text.trim() !== '' && edit.text !== before) giveBack(edit, said !== undefined)
  }, [id, isGone, said, edit])
  return null
}

function giveBack({ threadId, text }: QueuedEdit, isSent: boolean): void {
  const draft = draftOf(threadId).get()
  const isFree = isEmpty(draft) && !draft.editing
  if (isFree) setDraft(threadId, { text })
  const what = isSent
    ? 'A queued message was sent before your change to it was saved.'
    : 'A queued message that you were changing was removed elsewhere.'
  returnedTo(threadId).set({
    message: isFree ? `${what} What you wrote is here.` : what,
    unsent: isFree ? null : { text, files: [], mode: 'chat', editing: null },
  })
}
