/**
 * Reads a shared link with its messages. Every condition is read from D1 for each request, so that a page is gone as soon as its link is
 * revoked or has expired, its thread, a message or its owner is deleted, or an organization of the owner switches sharing off.
 */
import { and, eq, sql } from 'drizzle-orm'
import { maxForkMessages } from '../contract/limits.ts'
import type { ChatMessage } from '../contract/threads/messages.ts'
import { readFile, type StoredFile } from './attachments.ts'
import { isStoredFile, publicMessage } from './public-message.ts'
import { contentDb, contentDbs, type DatabaseBindings, directoryDb, orm, runBatch } from './shards.ts'
import { member, organization } from './tables/organizations.ts'
import { accountDeletion, linking } from './tables/sync.ts'
import { message, share, thread } from './tables/threads.ts'

export type SharedThread = {
  readonly id: string
  readonly ownerId: string
  readonly title: string | null
  /** The name that the owner chose to show. */
  readonly name: string | null
  readonly isListed: boolean
  readonly createdAt: number
  /** From the first message to the shared one, without what only the owner may see. */
  readonly messages: readonly ChatMessage[]
}

/** Null for every reason alike. */
export async function readShare(env: DatabaseBindings, id: string, nowMs: number): Promise<SharedThread | null> {
  // The id of a link does not contain the number of a database, because linking a guest can move the row.
  const found = await Promise.all(contentDbs(env).map((database) => readIn(database, id, nowMs)))
  const shared = found.find((one) => one !== null) ?? null
  return shared && !(await isSharingOff(env, shared.ownerId)) ? shared : null
}

/** The stored file at this position among the files of the page. */
export async function readSharedFile(env: DatabaseBindings, shared: SharedThread, index: number): Promise<StoredFile | null> {
  const part = shared.messages.flatMap(({ parts }) => parts.filter(isStoredFile))[index]
  return part ? readFile(contentDb(env, shared.ownerId), shared.ownerId, fileIdOf(part.url)) : null
}

export const fileIdOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1)

type ShareRow = Omit<SharedThread, 'messages' | 'isListed'> & { readonly isListed: number }
type PathRow = { readonly parentId: string | null; readonly message: string; readonly deletedAt: number | null }

async function readIn(database: D1Database, id: string, nowMs: number): Promise<SharedThread | null> {
  const [shares, path] = await runBatch(database, [
    sql`select share.id, share.userId ownerId, share.title, share.name, share.isListed, share.createdAt
      from ${share} join ${thread} on thread.id = share.threadId and thread.userId = share.userId
      where share.id = ${id} and share.revokedAt is null and (share.expiresAt is null or share.expiresAt > ${nowMs})
        and thread.deletedAt is null and not exists (select 1 from ${accountDeletion} where ${accountDeletion.userId} = share.userId)
        -- The rows of a guest who is being linked to an account with another database are read there.
        and not exists (select 1 from ${linking} where guestId = share.userId and isElsewhere = 1)`,
    sql`with recursive path (id, parentId, depth) as (
        select message.id, message.parentId, 0 from ${share} join ${message} on message.id = share.messageId
          where share.id = ${id} and message.userId = share.userId
        union all
        select message.id, message.parentId, depth + 1 from path join ${message} on message.id = path.parentId
          where depth < ${maxForkMessages}
      )
      select message.parentId, message.message, message.deletedAt from path join ${message} on message.id = path.id order by depth desc`,
  ])
  // The columns of the statements.
  const [row] = (shares?.results ?? []) as unknown as ShareRow[]
  const rows = (path?.results ?? []) as unknown as PathRow[]
  const isPathComplete = rows[0]?.parentId === null && rows.every(({ deletedAt }) => deletedAt === null)
  if (!row || !isPathComplete) return null
  return { ...row, isListed: row.isListed === 1, messages: rows.map((one) => publicMessage(parsed(one.message))) }
}

/** Null for a damaged row. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}

async function isSharingOff(env: DatabaseBindings, userId: string): Promise<boolean> {
  const [found] = await orm(directoryDb(env))
    .select({ id: organization.id })
    .from(member)
    .innerJoin(organization, eq(organization.id, member.organizationId))
    .where(and(eq(member.userId, userId), eq(organization.isSharingOff, true)))
    .limit(1)
  return found !== undefined
}
