/**
 * Drafts that follow the user to other devices, one for each thread and one for the next new thread. A browser writes only over the revision
 * that it has seen, so a device that was offline overwrites nothing. An ended draft keeps its row with an empty text, so that other devices can
 * detect the end.
 */

import { mustFindPermanent, type Tx } from '../contract/mutator-rules.ts'
import { draftQuery } from '../contract/queries.ts'
import { refuse } from '../contract/refuse.ts'
import type { RowOf } from '../contract/schema.ts'
import { saveDraftArgs } from '../contract/threads/draft-args.ts'
import { sentRevision } from '../contract/threads/draft-key.ts'
import { defineServerMutator, type ServerContext } from './server-mutator.ts'

export const saveDraft = defineServerMutator(saveDraftArgs, async ({ tx, args: { threadId, text, revision, base }, ctx }) => {
  const { userId, nowMs } = ctx
  if (threadId !== null) await mustFindPermanent(tx, ctx, threadId)
  const draft = await findDraft(tx, userId, threadId)
  // A repeated write.
  if (draft?.revision === revision) return
  if (draft && draft.text !== '' && draft.revision !== base) throw refuse('draft_changed')
  if (text === '') {
    if (draft && draft.text !== '') await endDraft(tx, draft.id, revision, nowMs)
    return
  }
  const written = { text, revision, updatedAt: nowMs, deletedAt: null }
  if (draft) await tx.mutate.draft.update({ id: draft.id, ...written })
  else await tx.mutate.draft.insert({ id: threadId ?? newThreadDraftId(userId), userId, threadId, ...written })
})

/** Ends the draft that became the message, in the batch that stores the message. A newer draft of another device stays. */
export async function endSentDraft(
  tx: Tx,
  { threadId, draft: revision }: { readonly threadId: string; readonly draft?: string | undefined },
  { userId, nowMs }: ServerContext,
): Promise<void> {
  if (revision === undefined) return
  // A message that starts a thread was drafted under the new-thread key (`null`).
  for (const key of [threadId, null]) {
    const draft = await findDraft(tx, userId, key)
    if (draft && draft.text !== '' && draft.revision === revision) await endDraft(tx, draft.id, sentRevision(revision), nowMs)
  }
}

const endDraft = (tx: Tx, id: string, revision: string, nowMs: number): Promise<void> =>
  tx.mutate.draft.update({ id, text: '', revision, updatedAt: nowMs, deletedAt: nowMs })

/** Client-chosen ids contain no colon, so this id cannot collide. */
const newThreadDraftId = (userId: string): string => `new:${userId}`

const findDraft = (tx: Tx, userId: string, threadId: string | null): Promise<RowOf<'draft'> | undefined> =>
  tx.run(draftQuery(userId, threadId))
