/**
 * Mutators of shared links. A link shows a branch up to one message; it cannot be changed, only revoked. Triggers of D1 limit the number of links
 * (migrations/0016_shares.sql).
 */
import { defineMutator } from '@rocicorp/zero'
import * as z from 'zod/mini'
import { readPath } from './branch-mutators.ts'
import { idBytes, idFrom, idSchema, shareIdSchema } from './ids.ts'
import { maxForkMessages, maxNameChars, maxShareChars, maxTitleChars } from './limits.ts'
import { at, mustFindInSight, mustFindKept, refusable, type Tx, timeOf } from './mutator-rules.ts'
import { cleanName, plainNameSchema } from './names.ts'
import { refuse } from './refuse.ts'
import { zql } from './schema.ts'
import { shareLifetimes, shareLifetimesMs } from './shares.ts'
import { cutAt } from './text-end.ts'

/** Both sides have it. This folder is compiled without the globals of either. */
declare const crypto: { readonly getRandomValues: (bytes: Uint8Array) => Uint8Array }

const createArgs = z.object({
  threadId: idSchema,
  /** The last message of the branch. */
  messageId: idSchema,
  /** Null: the page shows no name. */
  name: z.nullable(plainNameSchema(maxNameChars, 'name_invalid')),
  /** Null: the link does not expire. */
  lifetime: z.nullable(z.enum(shareLifetimes)),
  isListed: z.boolean(),
  at,
})
const revokeArgs = z.object({ id: shareIdSchema, at })

export type CreateShareArgs = z.infer<typeof createArgs>

/** True if one of the user's organizations has switched sharing off. Both sides have the rows of the user's own organizations only. */
const isSharingOff = async (tx: Tx): Promise<boolean> => (await tx.run(zql.organization.where('isSharingOff', true).one())) !== undefined

/** Both are written by the server only: a page exists, or is gone, when the server has decided. */
export const shareMutators = {
  create: defineMutator(
    createArgs,
    refusable(async ({ tx, args, ctx }) => {
      const nowMs = timeOf(ctx, args.at)
      const thread = await mustFindKept(tx, ctx, args.threadId)
      await mustFindInSight(tx, thread, args.messageId)
      if (await isSharingOff(tx)) throw refuse('sharing_off')
      // The browser may have only the end of the path. The server then refuses a path that is too long.
      const { path, chars } = await readPath(tx, thread.id, args.messageId)
      if (path.length > maxForkMessages || chars > maxShareChars) throw refuse('share_too_long')
      if (tx.location === 'client') return
      await tx.mutate.share.insert({
        // Not the client's choice: otherwise the address of an ended link could be used again.
        id: idFrom(crypto.getRandomValues(new Uint8Array(idBytes))),
        userId: ctx.userId,
        threadId: thread.id,
        messageId: args.messageId,
        title: cutAt(cleanName(thread.title ?? ''), maxTitleChars) || null,
        name: args.name,
        isListed: args.isListed,
        createdAt: nowMs,
        expiresAt: args.lifetime === null ? null : nowMs + shareLifetimesMs[args.lifetime],
      })
    }),
  ),

  /** Revoking cannot be undone. */
  revoke: defineMutator(
    revokeArgs,
    refusable(async ({ tx, args, ctx }) => {
      const share = await tx.run(zql.share.where('id', args.id).where('userId', ctx.userId).one())
      if (!share) throw refuse('not_found')
      if (share.revokedAt == null && tx.location === 'server')
        await tx.mutate.share.update({ id: share.id, revokedAt: timeOf(ctx, args.at) })
    }),
  ),
}
