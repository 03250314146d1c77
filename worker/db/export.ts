/**
 * Every row of one user in D1, read in pages. Rows are exported as stored, without tokens and keys. A page has a bounded number of rows and
 * bytes, and the caller pauses between pages, so that an export does not delay the requests of other users.
 */
import { isNull, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { exportPageBytes, exportPageRows } from '../contract/limits.ts'
import { useFields } from '../contract/models/model-use.ts'
import { contentDb, type DatabaseBindings, directoryDb, orm } from './shards.ts'
import { userCustomer } from './tables/catalogue.ts'
import { member, organization } from './tables/organizations.ts'
import { approval, attachment, draft, memory, message, project, prompt, queuedMessage, share, summary, thread } from './tables/threads.ts'
import { toolServer } from './tables/tool-servers.ts'
import { creditLedger, dailyUse, modelRequest, setting, usage } from './tables/user-content.ts'
import { account, session, user } from './tables/users.ts'

/** One list of the file. Pages follow `key`; together with `owner` it should be an index. */
type List = {
  readonly db: D1Database
  readonly owner: SQLiteColumn
  readonly key: readonly SQLiteColumn[]
  /** The exported fields of a row. */
  readonly fields: Fields
  /** The exported rows; absent: all. */
  readonly where?: SQLWrapper
  /** The only column of the table that can be long. */
  readonly longColumn?: SQLiteColumn
}
type Fields = { readonly [name: string]: SQLWrapper }

const pick = <Table extends object, Name extends keyof Table & string>(table: Table, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, table[name]])) as Pick<Table, Name>

function listsOf(env: DatabaseBindings, userId: string): { readonly [name: string]: List } {
  const [content, directory] = [contentDb(env, userId), directoryDb(env)]
  const own = <Table extends { readonly id: SQLiteColumn; readonly userId: SQLiteColumn }>(
    db: D1Database,
    table: Table,
    fields: Fields,
  ) => ({
    db,
    owner: table.userId,
    key: [table.id],
    fields,
  })
  return {
    user: {
      db: directory,
      owner: user.id,
      key: [user.id],
      fields: pick(user, 'id', 'name', 'email', 'emailVerified', 'image', 'isAnonymous', 'createdAt', 'updatedAt'),
    },
    sessions: own(directory, session, pick(session, 'id', 'ipAddress', 'userAgent', 'createdAt', 'updatedAt', 'expiresAt')),
    accounts: own(directory, account, pick(account, 'id', 'providerId', 'accountId', 'scope', 'createdAt')),
    memberships: own(directory, member, {
      organization: sql`(select ${organization.name} from ${organization} where ${organization.id} = ${member.organizationId})`,
      ...pick(member, 'role', 'createdAt'),
    }),
    subscription: own(directory, userCustomer, { subscription: json(userCustomer.subscription) }),
    settings: own(content, setting, {
      ...pick(setting, 'mode', 'theme', 'language', 'nickname', 'biography', 'instructions', 'modelId', 'isMemoryOn'),
      ...pick(setting, 'dailyCreditLimit', 'monthlyCreditLimit'),
      pinnedModels: json(setting.pinnedModels),
    }),
    usage: own(content, usage, pick(usage, 'day', 'credits', 'search', 'research', 'monthStart', 'monthCredits')),
    dailyUse: own(
      content,
      dailyUse,
      pick(dailyUse, 'day', 'modelId', 'projectId', 'credits', 'searches', 'tokens', 'microDollars', 'unpriced'),
    ),
    credits: {
      ...own(content, creditLedger, pick(creditLedger, 'generationId', 'kind', 'credits', 'search', 'research', 'day', 'createdAt')),
      key: [creditLedger.day, creditLedger.id],
    },
    modelRequests: own(content, modelRequest, pick(modelRequest, 'id', 'purpose', 'day', 'model', 'provider', ...useFields)),
    files: {
      ...own(
        content,
        attachment,
        pick(attachment, 'id', 'name', 'mediaType', 'sizeBytes', 'pages', 'originalBytes', 'storedAt', 'removedAt', 'createdAt'),
      ),
      where: sql`not exists (${usesIn(sql`is not null`)}) or exists (${usesIn(sql`is null`)})`,
    },
    projects: own(content, project, {
      ...pick(project, 'id', 'name', 'icon', 'color', 'instructions', 'modelId', 'isMemoryOff', 'createdAt', 'updatedAt', 'deletedAt'),
      files: json(project.files),
      offTools: json(project.offTools),
    }),
    threads: {
      ...own(content, thread, {
        ...pick(
          thread,
          ...(['id', 'title', 'headId', 'effort', 'turnCredits', 'tokens', 'microDollars'] as const),
          ...(['projectId', 'pinnedAt', 'archivedAt', 'createdAt', 'updatedAt', 'deletedAt'] as const),
        ),
        offTools: json(thread.offTools),
      }),
      where: isNull(thread.expiresAt),
    },
    sharedLinks: own(
      content,
      share,
      pick(share, 'id', 'threadId', 'messageId', 'title', 'name', 'isListed', 'createdAt', 'expiresAt', 'revokedAt'),
    ),
    prompts: own(content, prompt, pick(prompt, 'id', 'name', 'text', 'createdAt', 'updatedAt', 'deletedAt')),
    memories: {
      ...own(content, memory, {
        ...pick(memory, 'id', 'threadId', 'messageId', 'text', 'isPinned', 'editedAt', 'createdAt', 'updatedAt'),
        barredMakers: json(memory.barredMakers),
      }),
      where: isPresentSql,
    },
    drafts: { ...own(content, draft, pick(draft, 'threadId', 'text', 'updatedAt')), longColumn: draft.text },
    toolApprovals: {
      ...own(content, approval, {
        ...pick(
          approval,
          'id',
          'threadId',
          'messageId',
          'tool',
          'title',
          'cause',
          'state',
          'isForThread',
          'reason',
          'createdAt',
          'decidedAt',
        ),
        source: json(approval.source),
        input: json(approval.input),
        form: json(approval.form),
        answers: json(approval.answers),
      }),
      longColumn: approval.input,
      where: isOfKeptThread(approval.threadId),
    },
    // Without their credentials. Servers of organizations are not data of one member.
    toolServers: {
      ...own(content, toolServer, {
        ...pick(toolServer, 'id', 'name', 'url', 'login', 'state', 'failure', 'createdAt', 'checkedAt'),
        tools: json(toolServer.tools),
        resources: json(toolServer.resources),
        prompts: json(toolServer.prompts),
        off: json(toolServer.off),
        headerNames: json(toolServer.headerNames),
      }),
      longColumn: toolServer.tools,
    },
    messages: {
      ...own(content, message, {
        ...pick(message, 'id', 'threadId', 'parentId', 'createdAt', 'deletedAt', 'bookmarkedAt'),
        message: json(message.message),
      }),
      longColumn: message.message,
      where: isOfKeptThread(message.threadId),
    },
    summaries: {
      ...own(content, summary, pick(summary, 'id', 'threadId', 'text', 'tokens', 'createdAt')),
      where: isOfKeptThread(summary.threadId),
    },
    queuedMessages: {
      ...own(content, queuedMessage, pick(queuedMessage, 'id', 'threadId', 'text', 'modelId', 'effort', 'mode', 'createdAt')),
      longColumn: queuedMessage.text,
      where: isOfKeptThread(queuedMessage.threadId),
    },
  }
}

/** Temporary threads are not exported, nor the messages and files that only they have. */
const isOfKeptThread = (threadId: SQLiteColumn): SQL =>
  sql`exists (select 1 from ${thread} where ${thread.id} = ${threadId} and ${thread.expiresAt} is null)`
/** `isPresent` of the contract. */
const isPresentSql: SQL = sql`${memory.deletedAt} is null and (${memory.editedAt} is not null or (
  exists (select 1 from ${thread} where ${thread.id} = ${memory.threadId} and ${thread.deletedAt} is null)
  and not exists (
    select 1 from message removed where removed.threadId = ${memory.threadId} and removed.deletedAt is not null
      and instr(${memory.path}, '"' || removed.id || '"')
  )
))`
/** The uses of the file by threads whose `expiresAt` has this property. A project has no thread, so its `expiresAt` counts as null. */
const usesIn = (expiresAt: SQL): SQL =>
  sql`select 1 from attachmentUse used left join message m on m.id = used.holderId left join queuedMessage q on q.id = used.holderId
      left join thread t on t.id = coalesce(m.threadId, q.threadId) where used.attachmentId = ${attachment.id} and t.expiresAt ${expiresAt}`

const json = (column: SQLiteColumn): SQL => sql`json(${column})`
const commaSeparated = (parts: readonly SQLWrapper[]): SQL => sql.join([...parts], sql`, `)

type Page = readonly { readonly key: string; readonly upTo: number; readonly row: string }[]

/** `after`: the key of the last row read, as a JSON array. The sum of bytes up to each row bounds the page. */
function readPage({ db, owner, key, fields, longColumn, where }: List, userId: string, after: string | null): Promise<Page> {
  const { table } = owner
  const order = commaSeparated(key.map(({ name }) => sql.identifier(name)))
  const isAfter =
    after === null ? sql`` : sql`and (${order}) > (${commaSeparated(key.map((_, i) => sql`${after} ->> ${sql.raw(String(i))}`))})`
  const bytes = longColumn ? sql`octet_length(${longColumn})` : sql`0`
  const row = commaSeparated(Object.entries(fields).flatMap(([name, value]) => [sql.raw(`'${name}'`), value]))
  return orm(db).all(
    sql`select json_array(${order}) key, upTo, json_object(${row}) row from (
      select position, bytes, sum(bytes) over (order by ${order}) upTo from (
        select rowid position, ${order}, ${bytes} bytes from ${table} where ${owner} = ${userId} ${isAfter} ${where ? sql`and (${where})` : sql``} order by ${order} limit ${exportPageRows}
      )
    ) page join ${table} on ${table}.rowid = position where upTo - bytes < ${exportPageBytes} order by ${order}`,
  )
}

/**
 * The file as JSON text: an object with one list per kind of row. Yields at most one page at a time. `pause` runs before every page but the
 * first; it receives how long D1 took for the page before.
 */
export async function* exportOf(
  env: DatabaseBindings,
  userId: string,
  nowMs: number,
  pause: (pageMs: number) => Promise<void>,
): AsyncGenerator<string> {
  let pageMs: number | null = null
  let text = `{"product":"Parley","exportedAt":${JSON.stringify(new Date(nowMs).toISOString())}`
  for (const [name, list] of Object.entries(listsOf(env, userId))) {
    let key: string | null = null
    let separator = `,\n"${name}":[\n`
    for (let isLast = false; !isLast; ) {
      if (pageMs !== null) await pause(pageMs)
      const begunMs = Date.now()
      const results: Page = await readPage(list, userId, key)
      pageMs = Date.now() - begunMs
      const last = results.at(-1)
      isLast = !last || (results.length < exportPageRows && last.upTo < exportPageBytes)
      if (last || key === null) yield text + separator + results.map(({ row }) => row).join(',\n')
      text = ''
      separator = ',\n'
      key = last?.key ?? key
    }
    text = ']'
  }
  yield `${text}\n}\n`
}
