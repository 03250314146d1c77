/** What the first byte of a page needs from the content: how it looks, and what it is called. One round trip. */
import { and, eq, isNull } from 'drizzle-orm'
import { contentDb, type DatabaseBindings, orm } from './shards.ts'
import { setting } from './tables/person.ts'
import { thread } from './tables/threads.ts'

export type PageRows = { readonly mode: string | null; readonly theme: string | null; readonly title: string | null }

/** Somebody else's thread, or a deleted one, has no title here. */
export async function readPageRows(env: DatabaseBindings, userId: string, threadId: string | null): Promise<PageRows> {
  const database = orm(contentDb(env, userId))
  const [settings, threads] = await database.batch([
    database.select({ mode: setting.mode, theme: setting.theme }).from(setting).where(eq(setting.userId, userId)),
    database
      .select({ title: thread.title })
      .from(thread)
      .where(and(eq(thread.id, threadId ?? ''), eq(thread.userId, userId), isNull(thread.deletedAt))),
  ])
  return { mode: settings[0]?.mode ?? null, theme: settings[0]?.theme ?? null, title: threads[0]?.title ?? null }
}
