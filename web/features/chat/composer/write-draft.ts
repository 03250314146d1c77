/**
 * Writes the text of a draft to the server, and records the result in the local draft (`Draft.synced`). The composer may show another draft
 * when the outcome arrives.
 */
import type { SaveDraftArgs } from '../../../../worker/contract/draft-args.ts'
import { sentRevision } from '../../../../worker/contract/draft-key.ts'
import { createId } from '../../../lib/create-id.ts'
import type { Outcome } from '../../../sync/outcome.ts'
import type { DraftRow } from '../../../sync/rows.ts'
import { draftOf, type Synced, setDraft } from './drafts.ts'

/** Revisions that this page wrote. They reach the server in order. A pending write of an earlier page may never reach the server. */
const ownRevisions = new Set<string>()

/** Chosen: bounds the stored draft while many writes are pending, for example offline. */
const maxPendingRevisions = 3

export async function writeDraft(
  save: (draft: SaveDraftArgs) => Promise<Outcome>,
  key: string,
  { threadId, text }: Pick<SaveDraftArgs, 'threadId' | 'text'>,
): Promise<Outcome> {
  const synced = draftOf(key).get().synced ?? { revision: null, text: '', pendingRevisions: [] }
  const base = synced.pendingRevisions.findLast((pending) => ownRevisions.has(pending)) ?? synced.revision
  const revision = createId()
  ownRevisions.add(revision)
  setDraft(key, { synced: { ...synced, pendingRevisions: [...synced.pendingRevisions, revision].slice(-maxPendingRevisions) } })
  const outcome = await save({ threadId, text, revision, base })
  const latest = draftOf(key).get().synced
  // Nothing to record: the sync client still delivers the write, or a row of this or a later write has arrived.
  if ((outcome.ok && outcome.isPending) || !latest?.pendingRevisions.includes(revision)) return outcome
  const withoutWrite = { ...latest, pendingRevisions: latest.pendingRevisions.filter((pending) => pending !== revision) }
  setDraft(key, { synced: outcome.ok ? syncedTo(latest, { revision, text }) : withoutWrite })
  return outcome
}

/** `Draft.synced` after the server's draft has this revision: earlier writes are no longer pending. */
export const syncedTo = (synced: Synced | null, { revision, text }: Pick<DraftRow, 'revision' | 'text'>): Synced => ({
  revision,
  text,
  pendingRevisions: synced ? pendingAfter(synced.pendingRevisions, revision) : [],
})

/** The writes after `revision`. A sent message ends its draft with the `sentRevision` of the last write. */
const pendingAfter = (revisions: readonly string[], revision: string): readonly string[] =>
  revisions.slice(revisions.findLastIndex((pending) => revision === pending || revision === sentRevision(pending)) + 1)
