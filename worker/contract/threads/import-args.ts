/** The arguments of `threads.import`. Only the server and the worker of the import check them, because every page loads the mutators. */
import * as z from 'zod/mini'
import { filesArg } from '../files/files.ts'
import { idSchema } from '../ids.ts'
import { maxImportMessages, maxImportThreads } from '../limits.ts'
import { at, textSchema, titleSchema } from '../mutator-rules.ts'

const name = z.string().check(z.minLength(1), z.maxLength(100))

const messageArgs = z.object({
  id: idSchema,
  /** A message of the same thread that exists or comes earlier in the list. */
  parentId: z.nullable(idSchema),
  role: z.enum(['user', 'assistant']),
  text: textSchema,
  reasoning: z.optional(textSchema),
  files: filesArg,
  /** Model of an answer. The catalogue may not contain it. */
  model: z.optional(z.object({ id: name, name, icon: name })),
  createdAt: at,
})

const threadArgs = z.object({
  id: idSchema,
  title: z.nullable(titleSchema.check(z.minLength(1))),
  headId: idSchema,
  isArchived: z.optional(z.boolean()),
  createdAt: at,
  updatedAt: at,
  messages: z.array(messageArgs).check(z.minLength(1), z.maxLength(maxImportMessages)),
})

export const importArgs = z.object({ threads: z.array(threadArgs).check(z.minLength(1), z.maxLength(maxImportThreads)) })

export type ImportedMessage = z.infer<typeof messageArgs>
export type ImportedThread = z.infer<typeof threadArgs>
export type ImportArgs = z.infer<typeof importArgs>
