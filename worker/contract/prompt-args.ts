/** The arguments of the mutators of prompts and drafts. Only the server checks them. */
import * as z from 'zod/mini'
import { idSchema } from './ids.ts'
import { maxPromptChars, maxPromptNameChars } from './limits.ts'
import { textSchema } from './mutator-rules.ts'
import { plainNameSchema } from './names.ts'

export const savePromptArgs = z.object({
  id: idSchema,
  name: plainNameSchema(maxPromptNameChars, 'prompt_name'),
  text: z.string().check(
    z.maxLength(maxPromptChars, 'prompt_text'),
    z.refine((text) => text.trim() !== '', 'prompt_text'),
  ),
})
export const deletePromptArgs = z.object({ id: idSchema })
export const sharePromptArgs = z.object({ id: idSchema, organizationId: z.nullable(idSchema) })

export const saveDraftArgs = z.object({
  /** Null: the draft of the next new thread. */
  threadId: z.nullable(idSchema),
  text: textSchema,
  /** Id of this write. */
  revision: idSchema,
  /** The last revision that the browser has seen. The write is refused if the draft has another one. */
  base: z.nullable(idSchema),
})
/** The part of a sent message that names its draft. `draft`: the revision of the draft that became the message. */
export const sentDraftArgs = z.object({ threadId: idSchema, draft: z.optional(idSchema) })

export type SavePromptArgs = z.infer<typeof savePromptArgs>
export type DeletePromptArgs = z.infer<typeof deletePromptArgs>
export type SharePromptArgs = z.infer<typeof sharePromptArgs>
export type SaveDraftArgs = z.infer<typeof saveDraftArgs>
