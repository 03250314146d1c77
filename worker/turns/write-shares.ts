/**
 * The mutators of shared links. A link shows a branch up to one message; it cannot be changed, only revoked. Triggers of D1 limit the number of
 * links (migrations/0016_shares.sql).
 */

import { idBytes, idFrom } from '../contract/ids.ts'
import { maxForkMessages, maxShareChars, maxTitleChars } from '../contract/limits.ts'
import { mustFindPermanent, mustFindVisible, type Tx } from '../contract/mutator-rules.ts'
import { cleanName } from '../contract/names.ts'
import { refuse } from '../contract/refuse.ts'
import { zql } from '../contract/schema.ts'
import { cutAt } from '../contract/text.ts'
import { readPath } from '../contract/threads/branch-mutators.ts'
import { createShareArgs, revokeShareArgs } from '../contract/threads/share-args.ts'
import { shareLifetimesMs } from '../contract/threads/shares.ts'
import { defineServerMutator } from './server-mutator.ts'

/** True if one of the user's organizations has switched sharing off. The replica has the rows of the user's own organizations only. */
const isSharingOff = async (tx: Tx): Promise<boolean> => (await tx.run(zql.organization.where('isSharingOff', true).one())) !== undefined

const create = defineServerMutator(createShareArgs, async ({ tx, args, ctx }) => {
  const { threadId, messageId, name, lifetime, isListed } = args
  const { userId, nowMs } = ctx
  const thread = await mustFindPermanent(tx, ctx, threadId)
  await mustFindVisible(tx, thread, messageId)
  if (await isSharingOff(tx)) throw refuse('sharing_off')
  // A guest can import any text as an answer of a model, so only the page of an account is listed.
  const owner = await tx.run(zql.user.where('id', userId).one())
  if (isListed && owner?.isAnonymous) throw refuse('listing_account_required')
  const { path, chars } = await readPath(tx, thread.id, messageId)
  if (path.length > maxForkMessages || chars > maxShareChars) throw refuse('share_too_long')
  await tx.mutate.share.insert({
    // Not the client's choice: otherwise the address of an ended link could be used again.
    id: idFrom(crypto.getRandomValues(new Uint8Array(idBytes))),
    userId,
    threadId: thread.id,
    messageId,
    title: cutAt(cleanName(thread.title ?? ''), maxTitleChars) || null,
    name,
    isListed,
    createdAt: nowMs,
    expiresAt: lifetime === null ? null : nowMs + shareLifetimesMs[lifetime],
  })
})

/** Revoking cannot be undone. */
const revoke = defineServerMutator(revokeShareArgs, async ({ tx, args: { id }, ctx: { userId, nowMs } }) => {
  const share = await tx.run(zql.share.where('id', id).where('userId', userId).one())
  if (!share) throw refuse('not_found')
  if (share.revokedAt == null) await tx.mutate.share.update({ id, revokedAt: nowMs })
})

export const shareMutators = { create, revoke }
