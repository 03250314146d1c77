/**
 * Writes the text of a draft to the server, and records the result in the local draft (`Draft.synced`). The composer may show another draft
 * when the outcome arrives. The last write wins: the writes of a page reach the server in order, and an empty text is a write like any other.
 */

import { isNewThread, sentRevision } from '../../../../worker/contract/threads/draft-key.ts'
import type { SaveDraftArgs } from '../../../../worker/contract/threads/server-args.ts'
import { createId } from '../../../lib/create-id.ts'
import type { Outcome } from '../../../sync/outcome.ts'
import type { DraftRow } from '../../../sync/rows.ts'
import { choicesAfter, type Synced } from './draft.ts'
import { draftOf, setDraft } from './drafts.ts'
import { trackWrite } from './pending-writes.ts'

/** Revisions that this page wrote. They reach the server in order. A pending write of an earlier page may never reach the server. */
const ownRevisions = new Set<string>()

/** Chosen: bounds the stored draft while many writes are pending: offline, each thread with a changed text adds one. */
const maxPendingRevisions = 20

export function writeDraft(
  save: (draft: SaveDraftArgs) => Promise<Outcome>,
  key: string,
  { threadId, text }: Pick<SaveDraftArgs, 'threadId' | 'text'>,
): Promise<Outcome> {
  const synced = draftOf(key).get().synced ?? { revision: null, text: '', pendingRevisions: [] }
  const base = synced.pendingRevisions.findLast((pending) => ownRevisions.has(pending)) ?? synced.revision
  const { origins } = draftOf(key).get().choices
  const revision = createId()
  ownRevisions.add(revision)
  setDraft(key, { synced: { ...synced, pendingRevisions: [...synced.pendingRevisions, revision].slice(-maxPendingRevisions) } })
  return trackWrite(
    key,
    text,
    recorded(key, { revision, text }, save({ threadId, text, revision, base, ...(origins.length > 0 && { origins: [...origins] }) })),
  )
}

async function recorded(key: string, { revision, text }: Pick<DraftRow, 'revision' | 'text'>, write: Promise<Outcome>): Promise<Outcome> {
  const outcome = await write
  const latest = draftOf(key).get().synced
  // Nothing to record: the sync client still delivers the write, or a row of this or a later write has arrived.
  if ((outcome.ok && outcome.isPending) || !latest?.pendingRevisions.includes(revision)) return outcome
  const withoutWrite = { ...latest, pendingRevisions: latest.pendingRevisions.filter((pending) => pending !== revision) }
  setDraft(key, { synced: outcome.ok ? syncedTo(latest, { revision, text }) : withoutWrite })
  return outcome
}

/** A draft that has ended takes its choices with it: its message was sent or deleted on another device. */
export function acceptRow(
  key: string,
  row: Pick<DraftRow, 'revision' | 'text'> & Partial<Pick<DraftRow, 'origins'>>,
  step: 'acceptRevision' | 'replaceText',
): void {
  const { synced, choices } = draftOf(key).get()
  setDraft(key, {
    synced: syncedTo(synced, row),
    ...(step === 'replaceText' && {
      text: row.text,
      choices: row.text === '' ? choicesAfter(choices, isNewThread(key)) : { ...choices, origins: row.origins ?? [] },
    }),
  })
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
