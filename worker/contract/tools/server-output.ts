/** What a tool of a server returned, as it is stored in the message and shown. Bounded, and without characters that a user cannot see. */
import * as z from 'zod/mini'

const contentSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  /** Base64 of an image type that browsers show. */
  z.object({ type: z.literal('image'), mediaType: z.string().check(z.regex(/^image\/[a-z]+$/)), data: z.string() }),
  z.object({ type: z.literal('link'), url: z.string().check(z.regex(/^https?:/)), title: z.string() }),
])

const outputSchema = z.object({
  content: z.array(contentSchema),
  /** Structured content. Absent if the text has the same. */
  data: z.optional(z.unknown()),
  /** The tool reports that it failed; the text says why. */
  isError: z.optional(z.literal(true)),
  /** Something was left out, because it was too large or of an unknown kind. */
  isCut: z.optional(z.literal(true)),
})

export type ServerContent = z.infer<typeof contentSchema>
export type ServerToolOutput = z.infer<typeof outputSchema>

/** Null for another output. */
export const serverOutputOf = (output: unknown): ServerToolOutput | null => outputSchema.safeParse(output).data ?? null
