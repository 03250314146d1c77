/** Data of threads in this browser that the server may have deleted. */
import { isNewThread } from '../../../../worker/contract/draft-key.ts'
import { draftKeys } from '../composer/drafts.ts'
import { queuedEdits } from '../queue/queued-edits.ts'

export const threadsWithLocalData = (): readonly string[] =>
  [...new Set([...draftKeys(), ...[...queuedEdits.get().values()].map(({ threadId }) => threadId)])].filter((key) => !isNewThread(key))
