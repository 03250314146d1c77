/** Data of threads in this browser that the server may have deleted. */
import { newThreadKey, temporaryKey } from '../../../../worker/contract/draft-key.ts'
import { draftKeys } from '../composer/drafts.ts'
import { threadsWithStoredChoices } from '../composer/next-turn.ts'
import { queuedEdits } from '../queue/queued-edits.ts'

export const threadsWithLocalData = (): readonly string[] =>
  [...new Set([...draftKeys(), ...threadsWithStoredChoices(), ...[...queuedEdits.get().values()].map(({ threadId }) => threadId)])].filter(
    (key) => key !== newThreadKey && key !== temporaryKey,
  )
