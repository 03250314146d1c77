/** Schemas of the request bodies of search and find in thread. */
import * as z from 'zod/mini'
import { idSchema, modelIdSchema } from '../contract/ids.ts'
import { maxExcludedThreads, maxFindChars } from '../contract/limits.ts'
import { isEmptyFilter } from '../contract/threads/search.ts'

const timestampMs = z.optional(z.int().check(z.gte(0)))

const searchFilterSchema = z.object({
  projectId: z.optional(idSchema),
  modelId: z.optional(modelIdSchema),
  role: z.optional(z.enum(['user', 'assistant'])),
  hasFiles: z.optional(z.literal(true)),
  sinceMs: timestampMs,
  untilMs: timestampMs,
})

/** A `SearchRequest`. The query may be empty if there is a filter. */
export const searchRequestSchema = z
  .object({
    query: z.string().check(z.maxLength(maxFindChars)),
    filter: z._default(searchFilterSchema, {}),
    without: z._default(z.array(idSchema).check(z.maxLength(maxExcludedThreads)), []),
  })
  .check(z.refine(({ query, filter }) => query.trim() !== '' || !isEmptyFilter(filter)))

/** A `FindInThread`. */
export const findInThreadSchema = z.object({
  threadId: idSchema,
  messageId: idSchema,
  query: z.string().check(z.minLength(1), z.maxLength(maxFindChars)),
})
