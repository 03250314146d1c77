/**
 * The synced tables of each database and the scope of their rows, which determines who can read a row. scripts/generate.ts generates the
 * feed's triggers from this list; feed.ts and user-import.ts derive their conditions. A new synced table needs an entry here.
 */
import type { TableName } from '../contract/schema.ts'

/** `user:<id>` is read by that user, `org:<id>` by the members of that organization, `*` by all users. */
export type Scope = 'user' | 'org' | '*'

export type FeedTable = {
  readonly scope: Scope
  /** SQL for the id of the user or the organization; `row` is `new`, `old` or the table. */
  readonly scopeId: (row: string) => string
  /** SQL condition on rows of the table; `test` makes it from the column that holds the id of the user or the organization. */
  readonly where: (test: (column: string) => string) => string
  /** The columns that determine the scope. */
  readonly scopeColumns: readonly string[]
  /** A table whose rows are deleted with a row of this one, by its foreign key. They write nothing: readers delete them with that row. */
  readonly children?: { readonly table: TableName; readonly key: string }
}

const scopedBy = (scope: Scope, column: string): FeedTable => ({
  scope,
  scopeId: (row) => `${row}.${column}`,
  where: (test) => test(column),
  scopeColumns: [column],
})
const ofUser = scopedBy('user', 'userId')
const ofOrganization = scopedBy('org', 'organizationId')

export type FeedName = 'content' | 'directory'

type Feed = { readonly log: string; readonly tables: { readonly [Table in TableName]?: FeedTable } }

export const feeds: { readonly [Name in FeedName]: Feed } = {
  content: {
    log: 'contentChange',
    tables: {
      thread: ofUser,
      project: ofUser,
      message: ofUser,
      queuedMessage: ofUser,
      share: ofUser,
      summary: ofUser,
      prompt: ofUser,
      draft: ofUser,
      memory: ofUser,
      approval: ofUser,
      toolServer: ofUser,
      setting: ofUser,
      usage: ofUser,
      dailyUse: ofUser,
    },
  },
  directory: {
    log: 'directoryChange',
    tables: {
      user: scopedBy('user', 'id'),
      userCustomer: ofUser,
      model: { scope: '*', scopeId: () => `''`, where: () => 'true', scopeColumns: [] },
      organization: scopedBy('org', 'id'),
      member: ofOrganization,
      memberProfile: ofOrganization,
      invitation: ofOrganization,
      team: { ...ofOrganization, children: { table: 'teamMember', key: 'teamId' } },
      teamMember: {
        scope: 'org',
        scopeId: (row) => `(select organizationId from team where id = ${row}.teamId)`,
        where: (test) => `teamId in (select id from team where ${test('organizationId')})`,
        scopeColumns: ['teamId'],
      },
      organizationCustomer: ofOrganization,
      sharedPrompt: ofOrganization,
      organizationToolServer: ofOrganization,
    },
  },
}

export const childTables = Object.values(feeds).flatMap(({ tables }) =>
  Object.entries(tables).flatMap(([parent, { children }]) => (children ? [{ parent, ...children }] : [])),
)

/** The `tbl` of a feed row that adds a scope to a reader (op i) or removes it (op d); its `rowId` is the scope. */
export const scopeMark = 'scope'

/** Rows of these tables are users' memberships in scopes; a deleted row of `root` ends its scope for all its readers. */
export const memberships = [
  { log: 'directoryChange', table: 'member', userId: 'userId', scope: 'org', scopeId: 'organizationId', root: 'organization' },
] as const

export const tablesOf = (feed: FeedName) => Object.entries(feeds[feed].tables) as [TableName, FeedTable][]

/** The condition that `userId` (SQL) may see a row now. */
export const isVisibleSql = ({ scope, where }: FeedTable, userId: string): string =>
  where((column) =>
    scope === 'user' ? `${column} = ${userId}` : `${column} in (select organizationId from member where userId = ${userId})`,
  )
