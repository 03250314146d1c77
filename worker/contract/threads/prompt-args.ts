/** The arguments of the mutators of prompts. Only the server checks them. */
import * as z from 'zod/mini'
import { idSchema } from '../ids.ts'
import { maxPromptChars, maxPromptNameChars } from '../limits.ts'
import { plainNameSchema } from '../names.ts'
import { isBlank } from '../text.ts'

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
