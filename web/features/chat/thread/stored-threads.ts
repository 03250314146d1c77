/** Data of threads in this browser that the server may have deleted. */
import { newThreadKey, temporaryKey } from '../../../../worker/contract/draft-key.ts'
import { deleteDraft, draftKeys } from '../composer/drafts.ts'
import { chooseTurnMode, threadsWithStoredMode } from '../composer/next-turn.ts'
import { closeQueuedEdit, queuedEdits } from '../queue/queued-edits.ts'

export const threadsWithLocalData = (): readonly string[] =>
  [...new Set([...draftKeys(), ...threadsWithStoredMode(), ...openEdits().map(({ threadId }) => threadId)])].filter(
    (key) => key !== newThreadKey && key !== temporaryKey,
  )

/** For a permanently deleted thread. */
export function deleteThreadData(threadId: string): void {
  deleteDraft(threadId)
  chooseTurnMode(threadId, 'chat')
  for (const edit of openEdits()) if (edit.threadId === threadId) closeQueuedEdit(edit.id)
}

const openEdits = () => [...queuedEdits.get()].map(([id, { threadId }]) => ({ id, threadId }))
