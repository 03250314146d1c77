// Every statement that the named queries lead to, explained: none reads a table from end to end, none sorts. Rules: worker/sync/SPEC.md, E18.
import { asQueryInternals } from '@rocicorp/zero/bindings'
import { expect, test } from 'vitest'
import { queries } from '../../../worker/contract/queries.ts'
import type { Row, SqlValue } from '../../../worker/sync/engine/types.ts'
import { openUserState } from '../../../worker/sync/user-state.ts'
import { queryNames } from '../../support/contract-names.ts'
import { explained } from '../../support/explain.ts'
import { createNodeSql } from '../../support/node-sql.ts'
import { userId } from './replica.ts'

const ctx = { userId }
const named = {
  me: queries.me.fn({ args: undefined, ctx }),
  'models.all': queries.models.all.fn({ args: undefined, ctx }),
  'threads.list': queries.threads.list.fn({ args: { limit: 5 }, ctx }),
  'threads.recent': queries.threads.recent.fn({ args: undefined, ctx }),
  'threads.one': queries.threads.one.fn({ args: { threadId: 'thread-3' }, ctx }),
  'threads.deleted': queries.threads.deleted.fn({ args: { since: 1 }, ctx }),
  'messages.deleted': queries.messages.deleted.fn({ args: { since: 1 }, ctx }),
  'organizations.mine': queries.organizations.mine.fn({ args: undefined, ctx }),
  'organizations.one': queries.organizations.one.fn({ args: { organizationId: 'organization-o' }, ctx }),
}

test('[E18] every named query is among them', () => {
  expect(Object.keys(named).sort()).toEqual(queryNames)
})

const thread = (i: number, changes: Row = {}) =>
  change('thread', { id: `thread-${i}`, userId, status: 'ready', createdAt: i, updatedAt: i, ...changes })
const message = (i: number, changes: Row = {}) =>
  change('message', { id: `message-${i}`, threadId: `thread-${i}`, userId, message: { id: 'm' }, createdAt: i, ...changes })

function change(table: string, row: Row) {
  return { table, id: { id: String(row.id) }, row }
}

test('[E18] first loads, moved windows, entered and left threads, reconnects: all by an index and in its order', () => {
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
  const { engine } = openUserState(watched)
  for (const [hash, query] of Object.entries(named))
    engine.addQuery('g', { hash, name: hash, args: [], ast: asQueryInternals(query as never).ast })
  const first = engine.sync('g', null).version
  sql.transaction(() => void engine.apply(Array.from({ length: 40 }, (_, i) => [thread(i), message(i)]).flat()))
  // More than is offered for undoing, so that those windows end and move.
  const gone = Array.from({ length: 15 }, (_, i) => i + 10)
  sql.transaction(() => void engine.apply(gone.flatMap((i) => [thread(i, { deletedAt: i }), message(i, { deletedAt: i })])))
  const full = engine.sync('g', first).version
  const back = [20, 21, 22, 23, 24].flatMap((i) => [thread(i), message(i, { deletedAt: null })])
  sql.transaction(
    () =>
      void engine.apply([
        thread(39, { deletedAt: 1 }),
        thread(3, { updatedAt: 100 }),
        change('member', memberOf('organization-o')),
        ...back,
      ]),
  )
  engine.sync('g', full)
  engine.sync('g', first)
  engine.removeQuery('g', 'threads.recent')
  engine.sync('g', full)
  engine.sync('g', null)
  const onRows = [...seen].filter((text) => /from "/.test(text))
  expect(onRows.length).toBeGreaterThan(30)
  // The catalogue is a table that everybody reads whole.
  const bad = onRows.flatMap((text) =>
    explained(sql, text)
      .filter((step) => /TEMP B-TREE|SCAN/.test(step) && !text.includes('from "model"'))
      .map((step) => `${step}: ${text}`),
  )
  expect(bad).toEqual([])
})

const memberOf = (organizationId: string): Row => ({ id: 'membership', organizationId, userId, role: 'member', createdAt: 1 })
