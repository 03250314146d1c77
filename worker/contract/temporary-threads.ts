/**
 * Temporary threads (ADR 0114). `ask` sets the end of a thread that starts as temporary, and moves it with each message. A page discards the
 * thread when the user leaves it, and the user's object when it was closed or its time has passed (worker/presence/).
 */
import { defineMutator } from '@rocicorp/zero'
import * as z from 'zod/mini'
import { idSchema } from './ids.ts'
import { mustFindThread, refusable } from './mutator-rules.ts'
import { refuse } from './refuse.ts'

/** So long ago that its turn stops, and that the next scheduled run deletes its rows and files. */
export const discardedAt = 1

export const discard = defineMutator(
  z.object({ threadId: idSchema }),
  refusable(async ({ tx, args, ctx }) => {
    const { id, expiresAt } = await mustFindThread(tx, ctx, args.threadId)
    if (expiresAt == null) throw refuse('invalid_request')
    await tx.mutate.thread.update({ id, deletedAt: discardedAt })
  }),
)
