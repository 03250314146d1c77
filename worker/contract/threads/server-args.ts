/** The arguments of mutators that only the server runs: shared links, prompts, drafts and the limit of a thread. Only the server checks them. */
import * as z from 'zod/mini'
import { idSchema, shareIdSchema } from '../ids.ts'
import { maxNameChars, maxPromptChars, maxPromptNameChars, maxTurnCredits } from '../limits.ts'
import { textSchema } from '../mutator-rules.ts'
import { plainNameSchema } from '../names.ts'
import { isBlank } from '../text.ts'
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

/** Null: no limit of its own. */
export const turnCreditsArgs = z.object({ threadId: idSchema, credits: z.nullable(z.int().check(z.gte(1), z.lte(maxTurnCredits))) })

export type TurnCreditsArgs = z.infer<typeof turnCreditsArgs>

export const savePromptArgs = z.object({
  id: idSchema,
  name: plainNameSchema(maxPromptNameChars, 'prompt_name'),
  text: z.string().check(
    z.maxLength(maxPromptChars, 'prompt_text'),
    z.refine((text) => !isBlank(text), 'prompt_text'),
  ),
})
export const deletePromptArgs = z.object({ id: idSchema })
export const sharePromptArgs = z.object({ id: idSchema, organizationId: z.nullable(idSchema) })

export type SavePromptArgs = z.infer<typeof savePromptArgs>
export type DeletePromptArgs = z.infer<typeof deletePromptArgs>
export type SharePromptArgs = z.infer<typeof sharePromptArgs>

export const saveDraftArgs = z.object({
  /** Null: the draft of the next new thread. */
  threadId: z.nullable(idSchema),
  text: textSchema,
  /** Id of this write. */
  revision: idSchema,
  /** The last revision that the browser has seen or written. The write is refused if the draft has another one. */
  base: z.nullable(idSchema),
})

export type SaveDraftArgs = z.infer<typeof saveDraftArgs>
