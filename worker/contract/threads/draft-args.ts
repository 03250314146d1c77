/** The arguments of the mutators of drafts. Only the server checks them. */
import * as z from 'zod/mini'
import { idSchema } from '../ids.ts'
import { textSchema } from '../mutator-rules.ts'

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
