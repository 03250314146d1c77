/** Saved prompts, as clients see them; the rules of `schema.ts` apply. */
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
