/**
 * Writes the text of a draft to the server, and stores what is known of the draft on the server with the local draft. The composer may show
 * another draft when the outcome arrives.
 */
import type { SaveDraftArgs } from '../../../../worker/contract/draft-args.ts'
import { sentRevision } from '../../../../worker/contract/draft-key.ts'
import { createId } from '../../../lib/create-id.ts'
import type { Outcome } from '../../../sync/outcome.ts'
import type { DraftRow } from '../../../sync/rows.ts'
import { type Draft, draftOf, setDraft } from './drafts.ts'

type Synced = NonNullable<Draft['synced']>

/** Revisions of the writes of this page. The server receives these writes in order; it may never receive a pending write of an earlier page. */
const ownRevisions = new Set<string>()

export async function writeDraft(
  save: (draft: SaveDraftArgs) => Promise<Outcome>,
  key: string,
  { threadId, text }: Pick<SaveDraftArgs, 'threadId' | 'text'>,
): Promise<Outcome> {
  const synced = draftOf(key).get().synced ?? { revision: null, text: '', pendingRevisions: [] }
  const base = synced.pendingRevisions.findLast((pending) => ownRevisions.has(pending)) ?? synced.revision
  const revision = createId()
  ownRevisions.add(revision)
  setDraft(key, { synced: { ...synced, pendingRevisions: [...synced.pendingRevisions, revision].slice(-3) } })
  const outcome = await save({ threadId, text, revision, base })
  const latest = draftOf(key).get().synced
  // The sync client still delivers the write, or the row of this or a later write has arrived.
  if ((outcome.ok && outcome.isPending) || !latest?.pendingRevisions.includes(revision)) return outcome
  const pendingRevisions = latest.pendingRevisions.filter((pending) => pending !== revision)
  setDraft(key, { synced: outcome.ok ? syncedTo(latest, { revision, text }) : { ...latest, pendingRevisions } })
  return outcome
}

/** The local copy of the draft on the server, when that draft has this revision. Earlier writes are no longer pending. */
export const syncedTo = (synced: Synced | null, { revision, text }: Pick<DraftRow, 'revision' | 'text'>): Synced => ({
  revision,
  text,
  pendingRevisions: synced ? pendingAfter(synced.pendingRevisions, revision) : [],
})

const pendingAfter = (revisions: readonly string[], revision: string): readonly string[] =>
  revisions.slice(revisions.findLastIndex((pending) => revision === pending || revision === sentRevision(pending)) + 1)
