/** Memory: facts about the user, from messages that the user typed. As clients see them; the rules of `schema.ts` apply. */
import { boolean, json, number, string, table } from '@rocicorp/zero'

export const memory = table('memory')
  .columns({
    id: string(),
    userId: string(),
    threadId: string(),
    /** The message that the fact is from. */
    messageId: string(),
    /** That message and all messages above it. It never changes, because a message keeps its parent. */
    path: json<readonly string[]>(),
    text: string(),
    isPinned: boolean().optional(),
    /** When the user changed the text. After that, the fact stays without its message. */
    editedAt: number().optional(),
    /** Makers of models that do not receive it (`model.icon`). */
    barredMakers: json<readonly string[]>().optional(),
    createdAt: number(),
    updatedAt: number(),
    deletedAt: number().optional(),
  })
  .primaryKey('id')

type Source = {
  /** The thread of the fact. Undefined: it does not exist. */
  readonly thread: { readonly deletedAt?: number | null | undefined } | undefined
  /** Ids of the messages of the thread that are deleted. */
  readonly deletedIds: ReadonlySet<string>
}
type Fact = { readonly path: readonly string[]; readonly editedAt?: number | null; readonly deletedAt?: number | null }

/** True if the message of the fact can be seen: neither it, nor a message above it, nor its thread is deleted. */
export const isSourceVisible = ({ path }: Pick<Fact, 'path'>, { thread, deletedIds }: Source): boolean =>
  thread !== undefined && thread.deletedAt == null && !path.some((id) => deletedIds.has(id))

/**
 * A fact counts while its message can be seen, or once the user has edited it. Deleting a message and undoing the deletion therefore write no
 * facts. With a purged message, D1 deletes the facts that were not edited.
 */
export const isPresent = (fact: Fact, source: () => Source): boolean =>
  fact.deletedAt == null && (fact.editedAt != null || isSourceVisible(fact, source()))

/** True if facts may be found and given in the thread: memory is on for the user and not off for the project. A temporary thread has none. */
export const usesMemory = (
  setting: { readonly isMemoryOn?: boolean | null | undefined } | null | undefined,
  project: { readonly isMemoryOff?: boolean | null | undefined } | null | undefined,
  isTemporary: boolean,
): boolean => setting?.isMemoryOn === true && !project?.isMemoryOff && !isTemporary

/** A fact as an answer was given it. */
export type GivenMemory = { readonly id: string; readonly text: string }
