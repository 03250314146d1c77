/** The turn whose stream a reader requests, and the object that has it. */
import { contentDb, type DatabaseBindings } from './shards.ts'
import type { OpenTurn } from './turn-endings.ts'

/** A turn and the id of its `Generation` object. */
export type TurnRef = { readonly generationId: string; readonly objectId: string }

/** The running turn of the user's thread, or null. */
export const readRunningTurn = (env: DatabaseBindings, userId: string, threadId: string): Promise<TurnRef | null> =>
  contentDb(env, userId)
    .prepare(
      `select generation.id generationId, writer objectId from thread join generation on generation.id = thread.streamId
         where thread.id = ? and thread.userId = ? and thread.deletedAt is null`,
    )
    .bind(threadId, userId)
    .first<TurnRef>()

/**
 * The user's turn in this thread, running or ended. Null for a turn of another user or thread, for one that is not opened yet, and for an
 * ended one whose answer, thread or earlier message is deleted.
 */
export async function readTurn(
  env: DatabaseBindings,
  { userId, threadId, generationId }: Pick<OpenTurn, 'userId' | 'threadId' | 'generationId'>,
): Promise<(TurnRef & { readonly isOpen: boolean }) | null> {
  const row = await contentDb(env, userId)
    .prepare(
      `with recursive path (id, parentId, deletedAt) as (
        select id, parentId, deletedAt from message where id = ?1 and userId = ?2
        union all
        select message.id, message.parentId, message.deletedAt from path join message on message.id = path.parentId
      )
      select writer objectId, status = 'open' isOpen from generation where id = ?1 and userId = ?2 and threadId = ?3 and (
        status = 'open' or (
          exists (select 1 from thread where id = ?3 and deletedAt is null)
          and exists (select 1 from path) and not exists (select 1 from path where deletedAt is not null)
        )
      )`,
    )
    .bind(generationId, userId, threadId)
    .first<{ objectId: string; isOpen: number }>()
  return row && { generationId, objectId: row.objectId, isOpen: row.isOpen === 1 }
}
