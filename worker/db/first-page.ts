/** The rows of the first page: read from D1 in one batch per database, with a bounded size for any thread, and cached in KV. */
import type { Plan } from '../contract/access.ts'
import { type FirstRows, planOfRows, type SidebarProject, type ThreadEnd, type ThreadProject } from '../contract/first-page.ts'
import { isRecord } from '../contract/is-record.ts'
import { maxProjects, threadPageSize } from '../contract/limits.ts'
import { chosenModel } from '../contract/models/model-choice.ts'
import { parsedJson } from '../contract/parsed-json.ts'
import { type RowOf, schema, type TableName } from '../contract/schema.ts'
import { newestProjects } from '../contract/threads/projects.ts'
import { keptAnswer, mayKeep } from '../contract/threads/thread-model.ts'
import { fingerprint } from '../lib/digests.ts'
import { logger } from '../lib/logger.ts'
import { decodeRow, rowSql } from './row-json.ts'
import { contentDb, type DatabaseBindings, directoryDb } from './shards.ts'

/** Chosen: more messages than the tallest screen shows, and a size without a visible delay on a phone. */
export const maxEndMessages = 20
export const maxEndChars = 16 * 1024

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
    content.prepare(projectsSql).bind(userId),
  ]
  const directoryStatements = [
    directory.prepare(`select ${rowSql('user')} content from user where id = ?1`).bind(userId),
    ownStatement(directory, 'userCustomer', userId),
    directory.prepare(sharedCustomersSql).bind(userId),
    modelsStatement(directory),
  ]
  const isOne = content === directory
  const [answers, others] = await Promise.all([
    content.batch([...contentStatements, ...(isOne ? directoryStatements : [])]),
    isOne ? [] : directory.batch(directoryStatements),
  ])
  const [setting, usage, list, threads, messages, project, projects, ...rest] = answers
  const [users, customers, shared, models] = isOne ? rest : others
  const settings = rowsOf('setting', setting)[0] ?? null
  const customer = rowsOf('userCustomer', customers)[0] ?? null
  const organizationCustomers = rowsOf('organizationCustomer', shared)
  const user = rowsOf('user', users)[0] ?? null
  const plan = planOfRows({ user, customer, organizationCustomers }, nowMs)
  const listed = rowsOf('thread', list)
  const catalogue = rowsOf('model', models)
  const model = chosenModel(catalogue, settings?.modelId, plan) ?? null
  const thread = endOf(threads, messages, project)
  return {
    rows: {
      settings,
      model,
      customer,
      organizationCustomers,
      usage: rowsOf('usage', usage)[0] ?? null,
      user,
      threads: listed,
      projects: sidebarProjects(projectsOf(projects), listed),
    },
    thread: thread && withModel(thread, { findModel: (id) => catalogue.find((row) => row.id === id), model, plan }),
  }
}

/** Reads only one thread, if the other rows come from the cache. */
export async function readThreadEnd(
  env: DatabaseBindings,
  { userId, rows }: Pick<CachedFirstPage, 'userId' | 'rows'>,
  threadId: string,
  nowMs: number,
): Promise<ThreadEnd | null> {
  const [content, directory] = [contentDb(env, userId), directoryDb(env)]
  const [[threads, messages, projects], models] = await Promise.all([
    content.batch(threadStatements(content, userId, threadId)),
    modelsStatement(directory).run(),
  ])
  const thread = endOf(threads, messages, projects)
  const catalogue = rowsOf('model', models)
  const findModel = (id: string) => catalogue.find((row) => row.id === id)
  return thread && withModel(thread, { findModel, model: rows.model, plan: planOfRows(rows, nowMs) })
}

/** All models, because the ids of the chosen ones can be in another database. */
const modelsStatement = (directory: D1Database) => directory.prepare(`select ${rowSql('model')} content from model`)

type ModelChoice = {
  readonly findModel: (id: string) => RowOf<'model'> | undefined
  /** The model of the user. */
  readonly model: RowOf<'model'> | null
  readonly plan: Plan
}

/** Adds the model with which the thread continues. */
export function withModel(thread: ThreadRows, { findModel, model, plan }: ModelChoice): ThreadEnd {
  const answer = keptAnswer(thread)
  const kept = answer ? findModel(answer.modelId) : undefined
  return { ...thread, model: kept && kept.id !== model?.id && mayKeep(kept, plan) ? kept : null }
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

const projectSql = `select ${rowSql('project')} content from project
where id = (select projectId from thread where id = ?2 and userId = ?1) and userId = ?1`

/** Without the instructions and files, which are long. */
const projectsSql = `select json_object('id', id, 'name', name, 'icon', icon, 'color', color, 'createdAt', createdAt, 'updatedAt', updatedAt) content
from project where userId = ?1 and deletedAt is null order by name, id limit ${maxProjects}`

const threadStatements = (db: D1Database, userId: string, threadId: string | null) =>
  [threadSql, messagesSql, projectSql].map((sql) => db.prepare(sql).bind(userId, threadId ?? ''))

function endOf(threads: D1Result | undefined, messages: D1Result | undefined, projects: D1Result | undefined): ThreadRows | null {
  const [thread] = rowsOf('thread', threads)
  if (!thread) return null
  const byId = new Map(rowsOf('message', messages).map((message) => [message.id, message]))
  const [project] = rowsOf('project', projects)
  return threadEnd(thread, (id) => byId.get(id), project) ?? { ...thread, project: shownProject(project), messages: [] }
}

/** Null for no project and for a deleted one. */
const shownProject = (project: RowOf<'project'> | undefined): ThreadProject | null =>
  project && project.deletedAt == null
    ? { id: project.id, name: project.name, icon: project.icon ?? null, color: project.color ?? null }
    : null

function rowsOf<T extends TableName>(table: T, result: D1Result | undefined): RowOf<T>[] {
  const found = (result?.results ?? []) as { content: string }[]
  // `decodeRow` has checked each column against the contract.
  return found.flatMap(({ content }) => (decodeRow(table, content) as RowOf<T> | null) ?? [])
}

const projectsOf = (result: D1Result | undefined): SidebarProject[] =>
  ((result?.results ?? []) as { content: string }[]).map(({ content }) => JSON.parse(content)).filter(isSidebarProject)

/** The newest projects, and those of the threads. */
export function sidebarProjects(projects: readonly SidebarProject[], threads: readonly RowOf<'thread'>[]): SidebarProject[] {
  const ids = new Set([...newestProjects(projects).map(({ id }) => id), ...threads.map(({ projectId }) => projectId)])
  return projects
    .filter(({ id }) => ids.has(id))
    .map(({ id, name, icon = null, color = null, createdAt, updatedAt }) => ({ id, name, icon, color, createdAt, updatedAt }))
}

type Find = (messageId: string) => RowOf<'message'> | undefined
export type ThreadRows = Omit<ThreadEnd, 'model'>

/** Walks from the head to the beginning. Null if the head alone exceeds the limit, because a thread without its end would mislead. */
export function threadEnd(thread: RowOf<'thread'>, find: Find, project: RowOf<'project'> | undefined): ThreadRows | null {
  const messages: RowOf<'message'>[] = []
  let chars = 0
  let next = thread.headId ?? null
  while (next !== null && messages.length < maxEndMessages) {
    const message = find(next)
    // `maxEndMessages` also ends a walk through cyclic parents.
    if (!message || message.threadId !== thread.id) break
    // A deleted message hides its descendants, so the path is not shown.
    if (message.deletedAt != null) return null
    chars += JSON.stringify(message).length
    if (chars > maxEndChars) break
    messages.push(message)
    next = message.parentId ?? null
  }
  return messages.length === 0 ? null : { ...thread, project: shownProject(project), messages: messages.reverse() }
}

/** Chosen: most users return within a day; a later visit loads its rows from D1. */
export const firstPageTtl = { s: 86_400, ms: 86_400_000 } as const

/**
 * The first-page cache in KV: written by the user's object, read when a page is served. It can be stale by a minute, or by up to a day
 * after the last visit. A value that does not match the schema and version counts as absent. The key contains the session id, so the value
 * of an ended session cannot be read any more.
 */
export type CachedFirstPage = {
  readonly version: string
  readonly userId: string
  /** Version of the user's object when it was written. */
  readonly cookie: string
  readonly writtenAtMs: number
  readonly rows: FirstRows
  /** Recently used threads, newest first. */
  readonly recent: readonly ThreadEnd[]
}

export type FirstPageBindings = { readonly FIRST_PAGES?: KVNamespace }

/** Increment when the shape of `CachedFirstPage` changes. Changes of the tables are detected automatically. */
const format = 4
const tablesText = JSON.stringify(Object.values(schema.tables).map(({ name, columns }) => [name, columns]))
export const firstPageVersion = `${format}-${fingerprint(tablesText)}`

/** Call only with the ids of a verified session. */
export const firstPageKey = (userId: string, sessionId: string): string => `first-page/${userId}/${sessionId}`

export async function readCachedFirstPage(
  { FIRST_PAGES }: FirstPageBindings,
  userId: string,
  sessionId: string,
  nowMs: number,
): Promise<CachedFirstPage | null> {
  if (!FIRST_PAGES) return null
  try {
    const text = await FIRST_PAGES.get(firstPageKey(userId, sessionId))
    return text === null ? null : parseCachedFirstPage(text, userId, nowMs)
  } catch (error) {
    // The page is then read from D1.
    logger.warn('first_page_not_read', { reason: error instanceof Error ? error.message : 'unknown' })
    return null
  }
}

/** Null unless the value has this version, belongs to this user and is at most a day old. */
export function parseCachedFirstPage(text: string, userId: string, nowMs: number): CachedFirstPage | null {
  const value = parsedJson(text)
  if (!isRecord(value) || value.version !== firstPageVersion || value.userId !== userId) return null
  const { cookie, writtenAtMs, rows, recent } = value
  if (typeof cookie !== 'string' || typeof writtenAtMs !== 'number' || nowMs - writtenAtMs >= firstPageTtl.ms) return null
  if (!isRecord(rows) || !isFirstRows(rows) || !Array.isArray(recent) || !recent.every(isThreadEnd)) return null
  return { version: firstPageVersion, userId, cookie, writtenAtMs, rows: rows as FirstRows, recent: recent as ThreadEnd[] }
}

type Fields = { readonly [name: string]: unknown }

const isFirstRows = ({ settings, model, customer, organizationCustomers, usage, user, threads, projects }: Fields): boolean =>
  [isRow('setting', settings), isRow('model', model), isRow('userCustomer', customer), isRow('usage', usage), isRow('user', user)].every(
    Boolean,
  ) &&
  areRows('organizationCustomer', organizationCustomers) &&
  areRows('thread', threads) &&
  Array.isArray(projects) &&
  projects.every(isSidebarProject)

const areRows = (table: TableName, value: unknown): boolean =>
  Array.isArray(value) && value.every((row) => isRecord(row) && isRow(table, row))

const isThreadEnd = (value: unknown): boolean =>
  isRecord(value) &&
  isRow('thread', value) &&
  isThreadProject(value.project) &&
  isRow('model', value.model) &&
  Array.isArray(value.messages) &&
  value.messages.every((message) => isRecord(message) && isRow('message', message) && isRecord(message.message))

const isThreadProject = (value: unknown): boolean => value === null || isNamed(value)

const isNamed = (value: unknown): value is Fields => isRecord(value) && typeof value.id === 'string' && typeof value.name === 'string'

const isSidebarProject = (value: unknown): value is SidebarProject =>
  isNamed(value) && typeof value.createdAt === 'number' && typeof value.updatedAt === 'number'

type Column = { readonly type: 'string' | 'number' | 'boolean' | 'json'; readonly optional?: boolean }

/** Null represents a missing row. */
function isRow(table: TableName, value: unknown): boolean {
  if (value === null) return true
  if (!isRecord(value)) return false
  return Object.entries<Column>(schema.tables[table].columns).every(([column, { type, optional }]) => {
    const field = value[column] ?? null
    return field === null ? optional === true : type === 'json' || typeof field === type
  })
}
