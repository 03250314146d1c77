/**
 * Unread answers. The end of a turn sets `thread.unreadAt` (worker/db/turns.ts). A page that shows the thread clears it. Before a page
 * notifies the user, it claims the answer. The server accepts one claim for each answer, so only one page on all devices shows the notification.
 */
import * as z from 'zod/mini'
import { idSchema } from '../ids.ts'
import { mustFindThread, mutator } from '../mutator-rules.ts'
import { refuse } from '../refuse.ts'

/** `unreadAt`: the column of the thread as the page has it. */
const unreadArgs = z.object({ threadId: idSchema, unreadAt: z.int().check(z.gte(0)) })

export const unreadMutators = {
  /** Does nothing if a newer answer has ended since: the page has not shown that one. */
  markRead: mutator({ args: unreadArgs }, async ({ tx, args, ctx }) => {
    const { id, unreadAt } = await mustFindThread(tx, ctx, args.threadId)
    if (unreadAt != null && unreadAt <= args.unreadAt) await tx.mutate.thread.update({ id, unreadAt: null })
  }),

  claimNotice: mutator({ args: unreadArgs }, async ({ tx, args, ctx }) => {
    const { id, unreadAt, noticedAt } = await mustFindThread(tx, ctx, args.threadId)
    if (unreadAt !== args.unreadAt || noticedAt === unreadAt) throw refuse('not_found')
    await tx.mutate.thread.update({ id, noticedAt: unreadAt })
  }),
}
