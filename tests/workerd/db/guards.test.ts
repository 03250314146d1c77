// Database guards against invalid states from any writer. Each aborts the whole batch, and `classifyD1Error` returns its code.
import { describe, expect, test } from 'vitest'
import { maxRowBytes } from '../../../worker/contract/limits.ts'
import { classifyD1Error, type GuardCode } from '../../../worker/db/errors.ts'
import { newId } from '../../../worker/db/new-id.ts'
import {
  generationRow,
  insert,
  insertStatement,
  ledgerRow,
  messageRow,
  organizationRow,
  queuedRow,
  threadRow,
  userRow,
} from '../../support/rows.ts'
import { auditOnly } from '../audit.ts'
import { env } from '../bindings.ts'

// Rows inserted by this test belong to no complete turn.
auditOnly('usage')

const { DB } = env
const statement = (sql: string, ...binds: (string | number | null)[]) => DB.prepare(sql).bind(...binds)

const failureOf = async (work: Promise<unknown>) =>
  work.then(
    () => 'nothing failed',
    (error: unknown) => classifyD1Error(error),
  )
const guard = (code: GuardCode) => ({ kind: 'guard', code })

async function user() {
  const userId = newId()
  const thread = threadRow(userId)
  await insert(DB, 'thread', thread)
  return { userId, threadId: String(thread.id) }
}

const answerRow = (userId: string, threadId: string, id: string) =>
  messageRow(userId, threadId, { id, message: JSON.stringify({ id, role: 'assistant', parts: [] }) })

describe('client progress', () => {
  const client = () => ({ group: newId(), id: newId(), userId: newId() })
  const begin = ({ group, id, userId }: ReturnType<typeof client>) =>
    statement('insert or ignore into clientProgress (clientGroupID, clientID, userId, updatedAt) values (?, ?, ?, 1)', group, id, userId)
  const advance = ({ group, id, userId }: ReturnType<typeof client>, to: number, from = to - 1) =>
    statement(
      'update clientProgress set previousMutationID = ?, lastMutationID = ? where userId = ? and clientGroupID = ? and clientID = ?',
      from,
      to,
      userId,
      group,
      id,
    )

  test('mutations are applied in order, each once', async () => {
    const browser = client()
    await DB.batch([begin(browser), advance(browser, 1), advance(browser, 2), begin(browser), advance(browser, 3)])
    for (const stale of [1, 2, 3, 5]) expect(await failureOf(advance(browser, stale).run())).toEqual(guard('stale_mutation'))
  })

  test('a push advances by several mutations, and only from the last one', async () => {
    const browser = client()
    await DB.batch([begin(browser), advance(browser, 3, 0), advance(browser, 5, 3)])
    for (const [to, from] of [
      [8, 3],
      [8, 6],
      [5, 5],
      [4, 5],
    ] as const)
      expect(await failureOf(advance(browser, to, from).run())).toEqual(guard('stale_mutation'))
  })

  test('a stale writer loses the rest of its batch', async () => {
    const browser = client()
    const { userId } = await user()
    const thread = threadRow(userId)
    await DB.batch([begin(browser), advance(browser, 1)])
    expect(await failureOf(DB.batch([insertStatement(DB, 'thread', thread), advance(browser, 1)]))).toEqual(guard('stale_mutation'))
    expect(await statement('select id from thread where id = ?', String(thread.id)).first()).toBeNull()
  })

  test('a group id used by two users is two groups', async () => {
    const browser = client()
    const other = { ...browser, userId: newId() }
    await DB.batch([begin(browser), advance(browser, 1), advance(browser, 2), begin(other), advance(other, 1)])
    const { results } = await statement(
      'select lastMutationID n from clientProgress where clientGroupID = ? order by n',
      browser.group,
    ).all()
    expect(results).toEqual([{ n: 1 }, { n: 2 }])
  })
})

describe('messages', () => {
  test('belong to the owner of their thread', async () => {
    const [ada, ben] = [await user(), await user()]
    expect(await failureOf(insert(DB, 'message', messageRow(ben.userId, ada.threadId)))).toEqual(guard('foreign_thread'))
    expect(await failureOf(insert(DB, 'message', messageRow(ada.userId, newId())))).toEqual(guard('foreign_thread'))
    const message = messageRow(ada.userId, ada.threadId)
    await insert(DB, 'message', message)
    const moved = statement('update message set threadId = ? where id = ?', ben.threadId, String(message.id))
    expect(await failureOf(moved.run())).toEqual(guard('foreign_thread'))
  })
})

describe('queued messages', () => {
  test('belong to the owner of their thread', async () => {
    const [ada, ben] = [await user(), await user()]
    expect(await failureOf(insert(DB, 'queuedMessage', queuedRow(ben.userId, ada.threadId)))).toEqual(guard('foreign_thread'))
    const queued = queuedRow(ada.userId, ada.threadId)
    await insert(DB, 'queuedMessage', queued)
    const moved = statement('update queuedMessage set threadId = ? where id = ?', ben.threadId, String(queued.id))
    expect(await failureOf(moved.run())).toEqual(guard('foreign_thread'))
  })

  test('become a turn of their own thread while they exist, and no other turn', async () => {
    const [ada, ben] = [await user(), await user()]
    const queued = queuedRow(ada.userId, ada.threadId)
    const turnOf = ({ userId, threadId }: typeof ada) =>
      insert(DB, 'generation', generationRow(userId, threadId, { queuedId: String(queued.id) }))
    expect(await failureOf(turnOf(ada))).toEqual(guard('queue_moved'))
    await insert(DB, 'queuedMessage', queued)
    expect(await failureOf(turnOf(ben))).toEqual(guard('queue_moved'))
    await turnOf(ada)
    await statement('delete from queuedMessage where id = ?', String(queued.id)).run()
    expect(await failureOf(turnOf(ada))).toEqual(guard('queue_moved'))
  })
})

describe('generations', () => {
  test('end once, and the second ending changes nothing', async () => {
    const { userId, threadId } = await user()
    const generation = generationRow(userId, threadId)
    const id = String(generation.id)
    await insert(DB, 'generation', generation)
    const end = (status: string) => statement('update generation set status = ?, endedAt = 1 where id = ?', status, id)
    await end('stopped').run()
    const second = DB.batch([insertStatement(DB, 'message', answerRow(userId, threadId, id)), end('completed')])
    expect(await failureOf(second)).toEqual(guard('generation_ended'))
    expect(await statement('select id from message where id = ?', id).first()).toBeNull()
    expect(await statement('select status from generation where id = ?', id).first('status')).toBe('stopped')
  })

  test('have the id of no message, and only their answer gets it, after they end', async () => {
    const [ada, ben] = [await user(), await user()]
    const more = threadRow(ada.userId)
    const message = messageRow(ada.userId, ada.threadId)
    await DB.batch([insertStatement(DB, 'thread', more), insertStatement(DB, 'message', message)])
    for (const { userId, threadId } of [ada, ben]) {
      const turn = generationRow(userId, threadId, { id: String(message.id) })
      expect(await failureOf(insert(DB, 'generation', turn))).toEqual(guard('id_taken'))
    }
    const generation = generationRow(ada.userId, ada.threadId)
    const id = String(generation.id)
    await insert(DB, 'generation', generation)
    const answer = answerRow(ada.userId, ada.threadId, id)
    const others = [
      ...[messageRow(ben.userId, ben.threadId, { id }), answerRow(ben.userId, ben.threadId, id)],
      ...[answerRow(ada.userId, String(more.id), id), messageRow(ada.userId, ada.threadId, { id })],
    ]
    for (const row of [...others, answer]) expect(await failureOf(insert(DB, 'message', row))).toEqual(guard('id_taken'))
    await statement("update generation set status = 'completed', endedAt = 1 where id = ?", id).run()
    for (const row of others) expect(await failureOf(insert(DB, 'message', row))).toEqual(guard('id_taken'))
    await insert(DB, 'message', answer)
  })

  test('are copied after their answers when they have ended', async () => {
    const { userId, threadId } = await user()
    const id = newId()
    await insert(DB, 'message', answerRow(userId, threadId, id))
    await insert(DB, 'generation', generationRow(userId, threadId, { id, status: 'completed' }))
  })

  test('have one of the five statuses', async () => {
    const { userId, threadId } = await user()
    await expect(insert(DB, 'generation', generationRow(userId, threadId, { status: 'paused' }))).rejects.toThrow(/CHECK/)
  })
})

describe('size', () => {
  const long = 'é'.repeat(maxRowBytes / 2)

  test('a message of the maximum size is stored, one byte more is refused', async () => {
    const { userId, threadId } = await user()
    await insert(DB, 'message', messageRow(userId, threadId, { message: long }))
    const over = messageRow(userId, threadId, { message: `${long}x` })
    expect(await failureOf(insert(DB, 'message', over))).toEqual(guard('row_too_large'))
  })

  test.each([
    ['thread', 'title'],
    ['setting', 'instructions'],
    ['queuedMessage', 'text'],
    ['user', 'image'],
    ['organization', 'metadata'],
  ])('%s.%s is refused, inserted or updated', async (table, column) => {
    const { userId, threadId } = await user()
    const queuedMessage = queuedRow(userId, threadId)
    const row = {
      thread: threadRow(userId),
      queuedMessage,
      setting: { id: newId(), userId: newId() },
      user: userRow(),
      organization: organizationRow(),
    }[table]
    if (!row) throw new Error(`no row for ${table}`)
    const tooLong = `${long}${long}`
    expect(await failureOf(insert(DB, table, { ...row, [column]: tooLong }))).toEqual(guard('row_too_large'))
    await insert(DB, table, row)
    const update = statement(`update ${table} set ${column} = ? where id = ?`, tooLong, String(row.id))
    expect(await failureOf(update.run())).toEqual(guard('row_too_large'))
  })
})

describe('the ledger', () => {
  test('refuses to reserve above the daily limit, and rolls the batch back', async () => {
    const { userId, threadId } = await user()
    const reserve = (credits: number) => ledgerRow(userId, newId(), 'reserve', { credits, dailyLimit: 20 })
    await insert(DB, 'creditLedger', reserve(19))
    const generation = generationRow(userId, threadId)
    const over = DB.batch([insertStatement(DB, 'generation', generation), insertStatement(DB, 'creditLedger', reserve(2))])
    expect(await failureOf(over)).toEqual(guard('credits_exhausted'))
    expect(await statement('select id from generation where id = ?', String(generation.id)).first()).toBeNull()
    await insert(DB, 'creditLedger', reserve(1))
    expect(await failureOf(insert(DB, 'creditLedger', reserve(1)))).toEqual(guard('credits_exhausted'))
  })

  test('a new day starts at zero, with a separate limit', async () => {
    const { userId } = await user()
    const reserve = (credits: number, day: number) => ledgerRow(userId, newId(), 'reserve', { credits, dailyLimit: 20, day })
    await insert(DB, 'creditLedger', reserve(20, 20_000))
    await insert(DB, 'creditLedger', reserve(20, 20_001))
    expect(await failureOf(insert(DB, 'creditLedger', reserve(1, 20_001)))).toEqual(guard('credits_exhausted'))
  })

  test.each(['search', 'research'])('refuses more %ses than the daily limit, and a release returns one', async (tool) => {
    const { userId } = await user()
    const reserve = () => ledgerRow(userId, newId(), 'reserve', { credits: 0, [tool]: 1, [`${tool}Limit`]: 2 })
    const first = reserve()
    await insert(DB, 'creditLedger', first)
    await insert(DB, 'creditLedger', reserve())
    expect(await failureOf(insert(DB, 'creditLedger', reserve()))).toEqual(guard('tool_limit_reached'))
    await insert(DB, 'creditLedger', ledgerRow(userId, String(first.generationId), 'settle', { [tool]: -1 }))
    await insert(DB, 'creditLedger', reserve())
    expect(await failureOf(insert(DB, 'creditLedger', reserve()))).toEqual(guard('tool_limit_reached'))
    await insert(DB, 'creditLedger', ledgerRow(userId, newId(), 'reserve', { credits: 1, [tool]: 1, [`${tool}Limit`]: 2, day: 20_001 }))
  })

  test('refuses a clock that is behind', async () => {
    const { userId } = await user()
    await insert(DB, 'creditLedger', ledgerRow(userId, newId(), 'reserve', { day: 20_001 }))
    expect(await failureOf(insert(DB, 'creditLedger', ledgerRow(userId, newId(), 'reserve', { day: 20_000 })))).toEqual(
      guard('clock_behind'),
    )
  })

  test('no turn is reserved, settled or released twice', async () => {
    const { userId } = await user()
    for (const kind of ['reserve', 'settle', 'release'] as const) {
      const row = ledgerRow(userId, 'turn-of-this-test', kind)
      await insert(DB, 'creditLedger', row)
      expect(await failureOf(insert(DB, 'creditLedger', row))).toEqual({ kind: 'unique', columns: ['creditLedger.id'] })
    }
    expect(await failureOf(insert(DB, 'creditLedger', { ...ledgerRow(userId, newId(), 'settle'), kind: 'gift' }))).toEqual({
      kind: 'unknown',
    })
  })

  test('is never changed, and is deleted with the account only', async () => {
    const { userId } = await user()
    await insert(DB, 'creditLedger', ledgerRow(userId, newId(), 'reserve'))
    const rewrite = statement('update creditLedger set credits = 0 where userId = ?', userId)
    const remove = statement('delete from creditLedger where userId = ?', userId)
    expect(await failureOf(rewrite.run())).toEqual(guard('ledger_immutable'))
    expect(await failureOf(remove.run())).toEqual(guard('ledger_immutable'))
    await DB.batch([statement('delete from usage where userId = ?', userId), remove])
    expect(await statement('select count(*) n from creditLedger where userId = ?', userId).first('n')).toBe(0)
  })
})
