/** Saved prompts, and drafts of messages, as clients see them; the rules of `schema.ts` apply. */
import { number, string, table } from '@rocicorp/zero'

export const prompt = table('prompt')
  .columns({
    id: string(),
    userId: string(),
    name: string(),
    /** May contain variables such as `{{topic}}`. */
    text: string(),
    createdAt: number(),
    updatedAt: number(),
    deletedAt: number().optional(),
  })
  .primaryKey('id')

/** The copy of a prompt that the members of an organization read. It has the id of the prompt and is deleted with the author's membership. */
export const sharedPrompt = table('sharedPrompt')
  .columns({
    id: string(),
    organizationId: string(),
    memberId: string(),
    /** The author. */
    userId: string(),
    name: string(),
    text: string(),
    updatedAt: number(),
    /** When the sharing ended. Name and text are empty then. */
    deletedAt: number().optional(),
  })
  .primaryKey('id')

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
    updatedAt: number(),
    /** Set while the text is empty. */
    deletedAt: number().optional(),
  })
  .primaryKey('id')
