// Drizzle's tables and the migrations are equal: names, nullability, keys. Fails when a column is added to only one of them.
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { objectTables, schema } from '../../../worker/contract/schema.ts'
import * as catalogue from '../../../worker/db/tables/catalogue.ts'
import * as organizations from '../../../worker/db/tables/organizations.ts'
import * as sync from '../../../worker/db/tables/sync.ts'
import * as threads from '../../../worker/db/tables/threads.ts'
import * as toolServers from '../../../worker/db/tables/tool-servers.ts'
import * as user from '../../../worker/db/tables/user-content.ts'
import * as users from '../../../worker/db/tables/users.ts'
import { env } from '../bindings.ts'

const tables: SQLiteTable[] = [users, organizations, catalogue, threads, toolServers, user, sync].flatMap((group) => Object.values(group))

type ColumnInfo = { name: string; type: string; notnull: number; pk: number; dflt_value: string | null }
const columnsOf = async (table: string) =>
  (
    await env.DB.prepare('select name, type, "notnull", pk, dflt_value from pragma_table_info(?) order by cid')
      .bind(table)
      .all<ColumnInfo>()
  ).results

test('every table of D1 has a drizzle table, and there are no others', async () => {
  const { results } = await env.DB.prepare(
    `select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like '\\_cf%' escape '\\' and name <> 'd1_migrations'`,
  ).all<{ name: string }>()
  expect(results.map((row) => row.name).sort()).toEqual(tables.map((table) => getTableConfig(table).name).sort())
})

describe.each(tables.map((table) => [getTableConfig(table).name, getTableConfig(table)] as const))('%s', (name, config) => {
  test('has the columns of its drizzle table', async () => {
    const keys = new Set(config.primaryKeys.flatMap((key) => key.columns.map((column) => column.name)))
    const expected = config.columns.map((column) => ({
      name: column.name,
      type: column.getSQLType().toUpperCase(),
      isRequired: column.notNull,
      isKey: column.primary || keys.has(column.name),
    }))
    const actual = (await columnsOf(name)).map((column) => ({
      name: column.name,
      type: column.type,
      // SQLite reports no nullability for an integer key, which can never be null.
      isRequired: column.notnull === 1 || column.pk > 0,
      isKey: column.pk > 0,
    }))
    expect(actual).toEqual(expected)
  })
})

// Drizzle's inserts name every column, so a default that only D1 has would become null.
test('every default of D1 is a default of drizzle', async () => {
  for (const { name, columns } of tables.map((table) => getTableConfig(table))) {
    const filled = (await columnsOf(name)).filter(({ dflt_value }) => dflt_value !== null).map((column) => column.name)
    expect(
      columns.filter(({ hasDefault }) => hasDefault).map((column) => column.name),
      name,
    ).toEqual(expect.arrayContaining(filled))
  }
})

/** Columns that no client sees. */
const hidden: { readonly [table: string]: readonly string[] } = {
  message: ['memoryAt', 'memoryBy', 'memoryDay'],
  // It can contain a key.
  organizationToolServer: ['url'],
}

test('the synced columns are those of the contract', async () => {
  for (const table of Object.values(schema.tables).filter(({ name }) => !objectTables.includes(name))) {
    const columns = (await columnsOf(table.name)).map((column) => column.name)
    const synced = columns.filter((name) => !hidden[table.name]?.includes(name))
    expect(synced.sort(), table.name).toEqual(Object.keys(table.columns).sort())
  }
})

test('every synced table has triggers that write the feed', async () => {
  const { results } = await env.DB.prepare(
    `select distinct tbl_name from sqlite_master where type = 'trigger' and sql like '%Change (scope%'`,
  ).all<{ tbl_name: string }>()
  expect(results.map(({ tbl_name }) => tbl_name).sort()).toEqual(
    Object.keys(schema.tables)
      .filter((name) => !objectTables.some((own) => own === name))
      .sort(),
  )
})

test('no foreign key refers to the other group of tables', async () => {
  const content = new Set([threads, toolServers, user].flatMap((group) => Object.values(group).map((table) => getTableConfig(table).name)))
  for (const table of tables.map((candidate) => getTableConfig(candidate).name)) {
    const { results } = await env.DB.prepare('select "table" target from pragma_foreign_key_list(?)').bind(table).all<{ target: string }>()
    for (const { target } of results) expect(content.has(target), `${table} → ${target}`).toBe(content.has(table))
  }
})

test('no trigger writes or reads across the groups', async () => {
  const { results } = await env.DB.prepare(`select name, tbl_name, sql from sqlite_master where type = 'trigger'`).all<{
    name: string
    tbl_name: string
    sql: string
  }>()
  const names = (groups: object[]) =>
    groups.flatMap((group) => Object.values(group).map((table: SQLiteTable) => getTableConfig(table).name))
  const content = [
    ...names([threads, toolServers, user]),
    'clientProgress',
    'mutationResult',
    'contentChange',
    'linking',
    'accountDeletion',
  ]
  const directory = [...names([users, organizations, catalogue]), 'directoryChange']
  for (const { name, tbl_name, sql } of results) {
    const foreign = content.includes(tbl_name) ? directory : content
    const used = [...sql.matchAll(/\b(?:from|into|join|update)\s+(\w+)/gi)].map((match) => match[1])
    expect(
      used.filter((table) => table !== undefined && foreign.includes(table)),
      name,
    ).toEqual([])
  }
  expect(results.length).toBeGreaterThan(40)
})
