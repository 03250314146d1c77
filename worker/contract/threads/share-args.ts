/** The arguments of the mutators of shared links. Only the server checks them. */
import * as z from 'zod/mini'
import { idSchema, shareIdSchema } from '../ids.ts'
import { maxNameChars } from '../limits.ts'
import { plainNameSchema } from '../names.ts'
import { shareLifetimes } from './shares.ts'

export const createShareArgs = z.object({
  threadId: idSchema,
  /** The last message of the branch. */
  messageId: idSchema,
  /** Null: the page shows no name. */
  name: z.nullable(plainNameSchema(maxNameChars, 'name_invalid')),
  /** Null: the link does not expire. */
  lifetime: z.nullable(z.enum(shareLifetimes)),
  isListed: z.boolean(),
})
export const revokeShareArgs = z.object({ id: shareIdSchema })

export type CreateShareArgs = z.infer<typeof createShareArgs>
export type RevokeShareArgs = z.infer<typeof revokeShareArgs>
