/** Reads the first page from D1, if the cache has none. One batch per database, with a bounded size for any thread. */
import { type FirstRows, planOfRows, type ThreadEnd } from '../contract/first-page.ts'
import { threadPageSize } from '../contract/limits.ts'
import { chosenModel } from '../contract/models/model-choice.ts'
import type { RowOf, TableName } from '../contract/schema.ts'
import { decodeRow, rowSql } from './row-json.ts'
import { contentDb, type DatabaseBindings, directoryDb } from './shards.ts'
import { maxEndChars, maxEndMessages, threadEnd } from './thread-end.ts'

export async function readFirstPage(
  env: DatabaseBindings,
  userId: string,
  threadId: string | null,
  nowMs: number,
): Promise<{ readonly rows: FirstRows; readonly thread: ThreadEnd | null }> {
  const [content, directory] = [contentDb(env, userId), directoryDb(env)]
  const contentStatements = [
    ...['setting', 'usage'].map((table) => ownStatement(content, table as 'setting' | 'usage', userId)),
    content.prepare(listSql).bind(userId),
    ...threadStatements(content, userId, threadId),
  ]
  const directoryStatements = [
    directory.prepare(`select ${rowSql('user')} content from user where id = ?1`).bind(userId),
    ownStatement(directory, 'userCustomer', userId),
    directory.prepare(sharedCustomersSql).bind(userId),
    // All models, because the chosen model's id is in the other database.
    directory.prepare(`select ${rowSql('model')} content from model`),
  ]
  const isOne = content === directory
  const [answers, others] = await Promise.all([
    content.batch([...contentStatements, ...(isOne ? directoryStatements : [])]),
    isOne ? [] : directory.batch(directoryStatements),
  ])
  const [setting, usage, list, threads, messages, ...rest] = answers
  const [users, customers, shared, models] = isOne ? rest : others
  const settings = rowsOf('setting', setting)[0] ?? null
  const customer = rowsOf('userCustomer', customers)[0] ?? null
  const organizationCustomers = rowsOf('organizationCustomer', shared)
  const user = rowsOf('user', users)[0] ?? null
  const plan = planOfRows({ user, customer, organizationCustomers }, nowMs)
  return {
    rows: {
      settings,
      model: chosenModel(rowsOf('model', models), settings?.modelId, plan) ?? null,
      customer,
      organizationCustomers,
      usage: rowsOf('usage', usage)[0] ?? null,
      user,
      threads: rowsOf('thread', list),
    },
    thread: endOf(threads, messages),
  }
}

/** Reads only one thread, if the other rows come from the cache. */
export async function readThreadEnd(env: DatabaseBindings, userId: string, threadId: string): Promise<ThreadEnd | null> {
  const content = contentDb(env, userId)
  const [threads, messages] = await content.batch(threadStatements(content, userId, threadId))
  return endOf(threads, messages)
}

const ownStatement = (db: D1Database, table: 'setting' | 'usage' | 'userCustomer', userId: string) =>
  db.prepare(`select ${rowSql(table)} content from ${table} where userId = ?1`).bind(userId)

const sharedCustomersSql = `select ${rowSql('organizationCustomer')} content from organizationCustomer
where organizationId in (select organizationId from member where userId = ?1)`

const listSql = `select ${rowSql('thread')} content from thread
where userId = ?1 and deletedAt is null and expiresAt is null and archivedAt is null order by updatedAt desc, id limit ${threadPageSize}`

const threadSql = `select ${rowSql('thread')} content from thread where id = ?2 and userId = ?1 and deletedAt is null`

/** The newest messages on all branches, without those that are too long to show. */
const messagesSql = `select ${rowSql('message')} content from message
where threadId = ?2 and userId = ?1 and length(message) <= ${maxEndChars} order by createdAt desc limit ${2 * maxEndMessages}`

const threadStatements = (db: D1Database, userId: string, threadId: string | null) =>
  [threadSql, messagesSql].map((sql) => db.prepare(sql).bind(userId, threadId ?? ''))

function endOf(threads: D1Result | undefined, messages: D1Result | undefined): ThreadEnd | null {
  const [thread] = rowsOf('thread', threads)
  if (!thread) return null
  const byId = new Map(rowsOf('message', messages).map((message) => [message.id, message]))
  return threadEnd(thread, (id) => byId.get(id)) ?? { ...thread, messages: [] }
}

function rowsOf<T extends TableName>(table: T, result: D1Result | undefined): RowOf<T>[] {
  const found = (result?.results ?? []) as { content: string }[]
  // `decodeRow` has checked each column against the contract.
  return found.flatMap(({ content }) => (decodeRow(table, content) as RowOf<T> | null) ?? [])
}
