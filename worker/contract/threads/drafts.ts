/** Drafts of messages, as clients see them; the rules of `schema.ts` apply. */
import { json, number, string, table } from '@rocicorp/zero'

/** The text in the composer of a thread, or of the next new thread. */
export const draft = table('draft')
  .columns({
    id: string(),
    userId: string(),
    /** Null: of the next new thread. */
    threadId: string().optional(),
    /** Empty after the draft was sent or deleted. */
    text: string(),
    /** Changes with every write. The browser that writes chooses it, so it recognizes its own writes. */
    revision: string(),
    /** Where texts in it came from (`UserMessage.origins`). */
    origins: json<readonly string[]>().optional(),
    updatedAt: number(),
    /** Set while the text is empty. */
    deletedAt: number().optional(),
  })
  .primaryKey('id')
