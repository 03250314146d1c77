/** Summaries of the beginnings of long threads, as clients see them; the rules of `schema.ts` apply. */
import { number, string, table } from '@rocicorp/zero'

export const summary = table('summary')
  .columns({
    /** The id of the last message that it covers. It covers the path from the first message to this one, which never changes. */
    id: string(),
    userId: string(),
    threadId: string(),
    text: string(),
    /** The estimated tokens of the messages that it covers. */
    tokens: number(),
    createdAt: number(),
  })
  .primaryKey('id')
