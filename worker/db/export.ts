/** Everything the record keeps of a person, read a page at a time. Rows are as they are stored; tokens and keys are left out. */
import { contentDb, type DatabaseBindings, directoryDb } from './shards.ts'

/** Messages may be long: a page of them stays well below what a Worker holds. */
const pageRows = 50

type Named = { readonly name: string; readonly db: D1Database; readonly sql: string }

/** `?1` is the person, `?2` the last id read, `?3` how many. */
const pages = (env: DatabaseBindings, userId: string): readonly Named[] => {
  const [content, directory] = [contentDb(env, userId), directoryDb(env)]
  const owned = (table: string, columns: string) =>
    `select id, ${columns} row from ${table} where userId = ?1 and id > ?2 order by id limit ?3`
  const object = (...columns: string[]) => `json_object(${columns.map((column) => `'${column}', ${column}`).join(', ')})`
  return [
    {
      name: 'user',
      db: directory,
      sql: `select id, ${object('id', 'name', 'email', 'emailVerified', 'image', 'isAnonymous', 'createdAt', 'updatedAt')} row
            from user where id = ?1 and id > ?2 limit ?3`,
    },
    {
      name: 'sessions',
      db: directory,
      sql: owned('session', object('id', 'ipAddress', 'userAgent', 'createdAt', 'updatedAt', 'expiresAt')),
    },
    { name: 'accounts', db: directory, sql: owned('account', object('id', 'providerId', 'accountId', 'scope', 'createdAt')) },
    {
      name: 'memberships',
      db: directory,
      sql: `select member.id, json_object('organization', organization.name, 'role', role, 'createdAt', member.createdAt) row
            from member join organization on organization.id = organizationId where member.userId = ?1 and member.id > ?2 order by member.id limit ?3`,
    },
    { name: 'subscription', db: directory, sql: owned('userCustomer', "json_object('subscription', json(subscription))") },
    {
      name: 'settings',
      db: content,
      sql: owned(
        'setting',
        "json_object('mode', mode, 'theme', theme, 'nickname', nickname, 'biography', biography, 'instructions', instructions, 'modelId', modelId, 'pinnedModels', json(pinnedModels))",
      ),
    },
    { name: 'usage', db: content, sql: owned('usage', object('day', 'credits', 'search', 'research')) },
    {
      name: 'credits',
      db: content,
      sql: owned('creditLedger', object('generationId', 'kind', 'credits', 'search', 'research', 'day', 'createdAt')),
    },
    {
      name: 'files',
      db: content,
      sql: owned('attachment', object('id', 'name', 'mediaType', 'sizeBytes', 'storedAt', 'removedAt', 'createdAt')),
    },
    {
      name: 'threads',
      db: content,
      sql: owned('thread', object('id', 'title', 'headId', 'effort', 'createdAt', 'updatedAt', 'deletedAt')),
    },
    {
      name: 'messages',
      db: content,
      sql: owned(
        'message',
        "json_object('id', id, 'threadId', threadId, 'parentId', parentId, 'createdAt', createdAt, 'deletedAt', deletedAt, 'message', json(message))",
      ),
    },
    {
      name: 'queuedMessages',
      db: content,
      sql: owned('queuedMessage', object('id', 'threadId', 'text', 'modelId', 'effort', 'mode', 'createdAt')),
    },
  ]
}

/** The parts of one JSON text: an object with a list for each kind of row. */
export async function* exportOf(env: DatabaseBindings, userId: string, nowMs: number): AsyncGenerator<string> {
  yield `{"product":"Parley","exportedAt":${JSON.stringify(new Date(nowMs).toISOString())}`
  for (const { name, db, sql } of pages(env, userId)) {
    yield `,\n"${name}":[`
    let after = ''
    let isFirst = true
    for (;;) {
      const { results } = await db.prepare(sql).bind(userId, after, pageRows).all<{ id: string; row: string }>()
      for (const { row } of results) {
        yield `${isFirst ? '' : ','}\n${row}`
        isFirst = false
      }
      after = results.at(-1)?.id ?? after
      if (results.length < pageRows) break
    }
    yield ']'
  }
  yield '\n}\n'
}
