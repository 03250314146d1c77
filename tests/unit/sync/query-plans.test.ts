// Query plans of every statement of the named queries: no table scan and no sort. Rules: worker/sync/SPEC.md, E18.
import { asQueryInternals } from '@rocicorp/zero/bindings'
import { expect, test } from 'vitest'
import { queries } from '../../../worker/contract/queries.ts'
import { zql } from '../../../worker/contract/schema.ts'
import type { Row, SqlValue } from '../../../worker/sync/engine/types.ts'
import { queryNames } from '../../support/contract-names.ts'
import { deltaOf } from '../../support/delta-of.ts'
import { explained } from '../../support/explain.ts'
import { createNodeSql } from '../../support/node-sql.ts'
import { openState, userId } from './replica.ts'

const ctx = { userId }
const named = {
  me: queries.me.fn({ args: undefined, ctx }),
  'models.all': queries.models.all.fn({ args: undefined, ctx }),
  'threads.list': queries.threads.list.fn({ args: { limit: 5 }, ctx }),
  'threads.whole': queries.threads.whole.fn({ args: { limit: 5 }, ctx }),
  'threads.recent': queries.threads.recent.fn({ args: undefined, ctx }),
  'threads.pinned': queries.threads.pinned.fn({ args: undefined, ctx }),
  'threads.archived': queries.threads.archived.fn({ args: { limit: 5 }, ctx }),
  'threads.ofProject': queries.threads.ofProject.fn({ args: { projectId: 'project-1', limit: 5 }, ctx }),
  'usage.daily': queries.usage.daily.fn({ args: { since: 1 }, ctx }),
  'presence.ofThread': queries.presence.ofThread.fn({ args: { threadId: 'thread-3' }, ctx }),
  'projects.all': queries.projects.all.fn({ args: undefined, ctx }),
  'prompts.mine': queries.prompts.mine.fn({ args: undefined, ctx }),
  'prompts.shared': queries.prompts.shared.fn({ args: undefined, ctx }),
  'approvals.ofThread': queries.approvals.ofThread.fn({ args: { threadId: 'thread-3' }, ctx }),
  'drafts.one': queries.drafts.one.fn({ args: { threadId: 'thread-3' }, ctx }),
  'memories.mine': queries.memories.mine.fn({ args: undefined, ctx }),
  'summaries.ofThread': queries.summaries.ofThread.fn({ args: { threadId: 'thread-3' }, ctx }),
  'toolServers.mine': queries.toolServers.mine.fn({ args: undefined, ctx }),
  'toolServers.ofOrganizations': queries.toolServers.ofOrganizations.fn({ args: undefined, ctx }),
  'shares.mine': queries.shares.mine.fn({ args: undefined, ctx }),
  'threads.one': queries.threads.one.fn({ args: { threadId: 'thread-3' }, ctx }),
  'threads.imported': queries.threads.imported.fn({ args: { threadIds: ['thread-3', 'thread-4'] }, ctx }),
  'threads.deleted': queries.threads.deleted.fn({ args: { since: 1 }, ctx }),
  'messages.newest': queries.messages.newest.fn({ args: { threadId: 'thread-3', limit: 2 }, ctx }),
  'messages.beginnings': queries.messages.beginnings.fn({ args: { threadId: 'thread-3' }, ctx }),
  'messages.byIds': queries.messages.byIds.fn({ args: { messageIds: ['message-3', 'message-4'] }, ctx }),
  'messages.bookmarked': queries.messages.bookmarked.fn({ args: { limit: 2 }, ctx }),
  'messages.deleted': queries.messages.deleted.fn({ args: { since: 1 }, ctx }),
  'organizations.mine': queries.organizations.mine.fn({ args: undefined, ctx }),
  'organizations.one': queries.organizations.one.fn({ args: { organizationId: 'organization-o' }, ctx }),
}

test('[E18] every named query is tested', () => {
  expect(Object.keys(named).sort()).toEqual(queryNames)
})

const thread = (i: number, changes: Row = {}) =>
  change('thread', { id: `thread-${i}`, userId, status: 'ready', createdAt: i, updatedAt: i, ...changes })
const message = (i: number, changes: Row = {}) =>
  change('message', { id: `message-${i}`, threadId: `thread-${i}`, userId, message: { id: 'm' }, createdAt: i, ...changes })

function change(table: string, row: Row) {
  return { table, id: { id: String(row.id) }, row }
}

test('[E18] first loads, moved windows, entered and left threads and reconnects use an index and its order', () => {
  const sql = createNodeSql()
  const seen = new Set<string>()
  const watched = {
    ...sql,
    all<T extends Record<string, SqlValue>>(text: string, ...binds: SqlValue[]) {
      seen.add(text)
      return sql.all<T>(text, ...binds)
    },
    each<T extends Record<string, SqlValue>>(text: string, ...binds: SqlValue[]) {
      seen.add(text)
      return sql.each<T>(text, ...binds)
    },
  }
  const { engine } = openState(watched)
  for (const [hash, query] of Object.entries(named))
    engine.addQuery('g', { hash, name: hash, args: [], ast: asQueryInternals(query as never).ast })
  const first = deltaOf(engine, 'g', null).version
  sql.transaction(() => void engine.apply(Array.from({ length: 40 }, (_, i) => [thread(i), message(i)]).flat()))
  // More than the undo list shows, so that those windows are full and move.
  const deletedIds = Array.from({ length: 15 }, (_, i) => i + 10)
  sql.transaction(() => void engine.apply(deletedIds.flatMap((i) => [thread(i, { deletedAt: i }), message(i, { deletedAt: i })])))
  const full = deltaOf(engine, 'g', first).version
  const back = [20, 21, 22, 23, 24].flatMap((i) => [thread(i), message(i, { deletedAt: null })])
  sql.transaction(
    () =>
      void engine.apply([
        thread(39, { deletedAt: 1 }),
        thread(3, { updatedAt: 100 }),
        change('member', memberOf('organization-o')),
        ...[11, 12].map((i) => change('memory', memoryOf(i))),
        ...back,
      ]),
  )
  deltaOf(engine, 'g', full)
  deltaOf(engine, 'g', first)
  engine.removeQuery('g', 'threads.recent')
  deltaOf(engine, 'g', full)
  deltaOf(engine, 'g', null)
  const onRows = [...seen].filter((text) => /from "/.test(text))
  expect(onRows.length).toBeGreaterThan(30)
  // All users read the whole catalogue.
  const bad = onRows.flatMap((text) =>
    explained(sql, text)
      .filter((step) => /TEMP B-TREE|SCAN/.test(step) && !text.includes('from "model"'))
      .map((step) => `${step}: ${text}`),
  )
  expect(bad).toEqual([])
})

const memoryOf = (i: number): Row => ({
  ...{ id: `memory-${i}`, userId, threadId: `thread-${i}`, messageId: `message-${i}`, path: [`message-${i}`] },
  ...{ text: 'Has a dog.', createdAt: i, updatedAt: i },
})
const memberOf = (organizationId: string): Row => ({ id: 'membership', organizationId, userId, role: 'member', createdAt: 1 })

test('a message relates to its user: related rows arrive, and a change of the user reaches the query', () => {
  const sql = createNodeSql()
  const { engine } = openState(sql)
  const ast = asQueryInternals(zql.message.where('id', 'message-1').related('user')).ast
  const user = (name: string): Row => ({ id: userId, name, email: 'a@example.test', emailVerified: true, createdAt: 1, updatedAt: 1 })
  sql.transaction(() => void engine.apply([change('user', user('Ada')), thread(1), message(1)]))
  engine.addQuery('g', { hash: 'q', name: 'q', args: [], ast })
  const first = deltaOf(engine, 'g', null)
  expect(first.rows.map(({ tableName }) => tableName).sort()).toEqual(['message', 'user'])
  sql.transaction(() => void engine.apply([change('user', user('Grace'))]))
  expect(deltaOf(engine, 'g', first.version).rows).toMatchObject([{ tableName: 'user', value: { name: 'Grace' } }])
})
