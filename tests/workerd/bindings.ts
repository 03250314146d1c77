/** The Worker under test and its bindings, typed once. */
import { exports, env as untypedEnv } from 'cloudflare:workers'
import { getTableName } from 'drizzle-orm'
import type { Env } from '../../worker/bindings.ts'
import { forgottenContent, ownedContent } from '../../worker/db/content-rows.ts'
import { contentDb, newUserId } from '../../worker/db/shards.ts'
import { accountDeletion, contentChange, linking } from '../../worker/db/tables/sync.ts'
import { attachmentUse } from '../../worker/db/tables/threads.ts'
import { contentUse, setting, usage } from '../../worker/db/tables/user-content.ts'
import { withStandIns } from '../../worker/dev/stand-ins.ts'

// The pool knows the bindings from wrangler's configuration, not their types.
export const env = withStandIns(untypedEnv as unknown as Env)
export const worker = (exports as unknown as { default: Fetcher }).default

/**
 * `env.DB` is the directory alone, `CONTENT_DB_1` and `CONTENT_DB_2` hold the content (tests/vitest.workerd.config.ts). Every user who
 * signs up gets the newest content database. Ids in tests belong to it only if `newUserId` made them.
 */
export const content = contentDb(env, newUserId(env))

const contentTables: ReadonlySet<string> = new Set(
  [...ownedContent, ...forgottenContent, setting, usage, contentUse, attachmentUse, contentChange, linking, accountDeletion].map(
    getTableName,
  ),
)
/** The database of a table, for the users of `content`. */
export const databaseOf = (table: string): D1Database => (contentTables.has(table) ? content : env.DB)
