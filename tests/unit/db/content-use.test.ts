// The content budget in D1: the count compared with a recount under every kind of write, the guards, and endings above the limit.
import { describe, expect, test } from 'vitest'
import { contentState } from '../../../worker/contract/access.ts'
import { contentStepBytes, contentStepRows, forksPerDay, storedContentBytes, storedContentRows } from '../../../worker/contract/limits.ts'
import { type Linking, linkGuest } from '../../../worker/db/account-linking.ts'
import { checkContentStatement, contentLimitsOf, countedOnce } from '../../../worker/db/content-use.ts'
import { removeContent } from '../../../worker/db/delete-user.ts'
import { classifyD1Error } from '../../../worker/db/errors.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { endTurn } from '../../../worker/db/turn-endings.ts'
import { ensureUserRows } from '../../../worker/db/user-rows.ts'
import { createNodeD1, type NodeD1 } from '../../support/node-d1.ts'
import { createRng } from '../../support/rng.ts'
import {
  approvalRow,
  generationRow,
  insert,
  insertStatement,
  ledgerRow,
  messageRow,
  queuedRow,
  type Row,
  summaryRow,
  threadRow,
} from '../../support/rows.ts'
import { draftRow, memoryRow, promptRow, toolServerRow } from '../../support/rows-of-writing.ts'

type Use = { readonly bytes: number; readonly rows: number }

const recountSql = `select coalesce(sum(bytes), 0) bytes, coalesce(sum(counts), 0) rows from (
  select coalesce(octet_length(title), 0) bytes, 1 counts from thread where userId = ?1
  union all select octet_length(message), 1 from message where userId = ?1
  union all select octet_length(text) + coalesce(octet_length(files), 0), 1 from queuedMessage where userId = ?1
  union all select octet_length(name) + octet_length(text), 1 from prompt where userId = ?1
  union all select octet_length(text), 0 from draft where userId = ?1
  union all select octet_length(path) + octet_length(text), 1 from memory where userId = ?1
  union all select octet_length(text), 1 from summary where userId = ?1
  union all select octet_length(description) + octet_length(input) + octet_length(coalesce(inputSchema, '')) + octet_length(coalesce(reason, ''))
      + octet_length(coalesce(form, '')) + octet_length(coalesce(answers, '')) + octet_length(coalesce(callState, '')), 1
    from approval where userId = ?1
  union all select octet_length(name) + octet_length(url) + octet_length(tools)
      + octet_length(coalesce(resources, '')) + octet_length(coalesce(prompts, '')), 1
    from toolServer where userId = ?1
)`
const formOf = (text: string): Row => ({ form: JSON.stringify([{ message: text }]), answers: JSON.stringify([{ text }]), callState: text })
const threadOf = async (db: NodeD1, messageId: string) =>
  String(await db.prepare('select threadId from message where id = ?').bind(messageId).first('threadId'))

const recount = (db: NodeD1, userId: string) => db.prepare(recountSql).bind(userId).first<Use>()
const counted = async (db: NodeD1, userId: string): Promise<Use> =>
  (await db.prepare('select bytes, rows from contentUse where userId = ?').bind(userId).first<Use>()) ?? { bytes: 0, rows: 0 }
const run = (db: NodeD1, sql: string, ...values: (string | number | null)[]) =>
  db
    .prepare(sql)
    .bind(...values)
    .run()
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => classifyD1Error(error),
  )
const guard = (code: string) => ({ kind: 'guard', code })

/** A thread with messages of about this many bytes each. */
async function given(db: NodeD1, userId: string, messages = 1, chars = 100): Promise<string> {
  const thread = threadRow(userId)
  await insert(db, 'thread', thread)
  for (let n = 0; n < messages; n++) await insert(db, 'message', messageRow(userId, String(thread.id), { message: textOf(chars) }))
  return String(thread.id)
}
const textOf = (chars: number) => JSON.stringify({ role: 'assistant', parts: [{ type: 'text', text: 'x'.repeat(chars) }] })
/** Changes the count without storing content; only tests do that. */
const fill = (db: NodeD1, userId: string, { bytes, rows }: Use) =>
  run(
    db,
    'insert into contentUse (userId, bytes, rows) values (?1, ?2, ?3) on conflict do update set bytes = ?2, rows = ?3',
    userId,
    bytes,
    rows,
  )

describe('the count', () => {
  test.each([1, 2, 3, 4])('is exact after every write, seed %i', async (seed) => {
    const rng = createRng(seed)
    const db = createNodeD1()
    const users = ['ada', 'ben']
    for (const userId of users) await ensureUserRows(db, userId)
    const texts = ['', 'short', 'ünïcödé 🙂', 'x'.repeat(3000), '漢字'.repeat(400)]
    const anyOf = async (table: string, userId: string) =>
      db.prepare(`select id from ${table} where userId = ? order by id limit 1 offset ?`).bind(userId, rng.below(4)).first<string>('id')
    for (let step = 0; step < 150; step++) {
      const userId = rng.pick(users)
      const text = rng.pick(texts)
      const threadId = (await anyOf('thread', userId)) ?? (await given(db, userId))
      const messageId = await anyOf('message', userId)
      const queuedId = await anyOf('queuedMessage', userId)
      const [promptId, draftId, approvalId] = [await anyOf('prompt', userId), await anyOf('draft', userId), await anyOf('approval', userId)]
      const memoryId = await anyOf('memory', userId)
      const serverId = await anyOf('toolServer', userId)
      const acts = [
        () => insert(db, 'thread', threadRow(userId, { title: rng.chance(0.3) ? null : text })),
        () => insert(db, 'message', messageRow(userId, threadId, { message: JSON.stringify({ text }) })),
        () => insert(db, 'queuedMessage', queuedRow(userId, threadId, { text })),
        () => insert(db, 'prompt', promptRow(userId, { text })),
        () => run(db, 'update prompt set name = ?, text = ?, updatedAt = 2 where id = ?', text, text, promptId),
        () => run(db, 'delete from prompt where id = ?', promptId),
        () => insert(db, 'memory', memoryRow(userId, threadId, 'gone', { text, editedAt: 1 })),
        () => run(db, 'update memory set text = ?, updatedAt = 2 where id = ?', text, memoryId),
        () => run(db, 'delete from memory where id = ?', memoryId),
        () =>
          insert(db, 'toolServer', toolServerRow(userId, { name: text, resources: text, prompts: rng.chance(0.3) ? null : text })).catch(
            () => undefined,
          ),
        () => run(db, 'update toolServer set name = ?, tools = ? where id = ?', text, text, serverId),
        () => run(db, 'update toolServer set resources = ? where id = ?', rng.chance(0.3) ? null : text, serverId),
        () => run(db, 'update toolServer set prompts = ? where id = ?', rng.chance(0.3) ? null : text, serverId),
        () => run(db, 'delete from toolServer where id = ?', serverId),
        () => insert(db, 'draft', draftRow(userId, threadId, { id: newId(), text })),
        async () =>
          messageId &&
          insert(
            db,
            'approval',
            approvalRow(userId, await threadOf(db, messageId), messageId, { input: JSON.stringify(text), ...formOf(text) }),
          ),
        () =>
          run(
            db,
            'update approval set input = ?, answers = ?, reason = ? where id = ?',
            JSON.stringify(text),
            rng.chance(0.3) ? null : JSON.stringify([{ text }]),
            rng.chance(0.3) ? null : text,
            approvalId,
          ),
        () => run(db, 'delete from approval where id = ?', approvalId),
        () => run(db, 'update draft set text = ?, updatedAt = 2 where id = ?', text, draftId),
        async () => {
          const of = await db.prepare('select id, threadId from message where userId = ? order by id').bind(userId).first<Row>()
          const isNew = of && !(await db.prepare('select 1 from summary where id = ?').bind(of.id).first())
          if (isNew) await insert(db, 'summary', summaryRow(userId, String(of.threadId), String(of.id), { text }))
        },
        () => run(db, 'update thread set title = ?, updatedAt = 2 where id = ?', rng.chance(0.3) ? null : text, threadId),
        () => run(db, 'update message set message = ? where id = ?', JSON.stringify({ text, step }), messageId),
        () => run(db, 'update message set deletedAt = 1 where id = ?', messageId),
        () => run(db, 'update queuedMessage set text = ?, files = ? where id = ?', text, rng.chance(0.5) ? '[]' : null, queuedId),
        () => run(db, 'delete from queuedMessage where id = ?', queuedId),
        () => run(db, 'delete from message where id = ?', messageId),
        () => run(db, 'delete from thread where id = ?', threadId),
        () =>
          run(
            db,
            'insert into message (id, threadId, userId, message) values (?, ?, ?, ?) on conflict do nothing',
            messageId ?? newId(),
            threadId,
            userId,
            '{}',
          ),
        // A batch that writes many messages, as an import does.
        () =>
          db.batch([
            ...countedOnce(
              db,
              userId,
              Array.from({ length: rng.below(6) }, () =>
                insertStatement(db, 'message', messageRow(userId, threadId, { message: textOf(50) })),
              ),
            ),
          ]),
      ]
      await rng.pick(acts)()
      for (const each of users) {
        const use = await counted(db, each)
        expect(use, `step ${step}`).toEqual(await recount(db, each))
        const shown = await db.prepare('select contentBytes bytes, contentRows rows from usage where userId = ?').bind(each).first<Use>()
        const rounded = (value: number, unit: number) => Math.floor(value / unit) * unit
        expect(shown).toEqual({ bytes: rounded(use.bytes, contentStepBytes), rows: rounded(use.rows, contentStepRows) })
      }
    }
  })

  test('is restored in a usage row that was lost and rebuilt', async () => {
    const db = createNodeD1()
    await ensureUserRows(db, 'ada')
    await given(db, 'ada', 7, 10_000)
    await checkContentStatement(db, 'ada', contentLimitsOf('guest', 20_000)).run()
    const shown = () => db.prepare("select contentBytes, contentRows, forks, forkDay from usage where userId = 'ada'").first()
    const before = await shown()
    await run(db, "delete from usage where userId = 'ada'")
    await ensureUserRows(db, 'ada')
    expect(await shown()).toEqual(before)
    expect(before).toEqual({ contentBytes: 4 * contentStepBytes, contentRows: 8, forks: 1, forkDay: 20_000 })
  })

  test('moves with a guest who becomes an account, with the daily forks', async () => {
    const db = createNodeD1()
    await given(db, 'guest', 3, 5000)
    await given(db, 'account', 2)
    await run(db, "update contentUse set forks = 3, forkDay = 7 where userId = 'guest'")
    await run(db, "update contentUse set forks = 2, forkDay = 7 where userId = 'account'")
    const sum = (await counted(db, 'guest')).bytes + (await counted(db, 'account')).bytes
    await linkGuest({ DB: db }, { guestId: 'guest', accountId: 'account' }, 1)
    expect(await counted(db, 'account')).toEqual({ bytes: sum, rows: 7 })
    expect(await counted(db, 'account')).toEqual(await recount(db, 'account'))
    expect(await db.prepare('select userId, forks, forkDay from contentUse').all()).toMatchObject({
      results: [{ userId: 'account', forks: 5, forkDay: 7 }],
    })
  })

  test('is deleted with its account', async () => {
    const db = createNodeD1()
    await ensureUserRows(db, 'ada')
    const threadId = await given(db, 'ada', 30, 1000)
    await insert(db, 'queuedMessage', queuedRow('ada', threadId))
    await given(db, 'ben')
    await removeContent({ DB: db }, 'ada', 1)
    expect((await db.prepare('select userId from contentUse').all()).results).toEqual([{ userId: 'ben' }])
  })
})

describe('the limit', () => {
  const plans = ['guest', 'free', 'pro'] as const

  test.each(plans)('of %s refuses the write that exceeds it completely, and accepts the one that reaches it', async (plan) => {
    const db = createNodeD1()
    const threadId = await given(db, 'ada')
    const { rows } = await counted(db, 'ada')
    const message = messageRow('ada', threadId, { message: textOf(1000) })
    const bytes = Buffer.byteLength(String(message.message))
    const write = (row: Row = { ...message, id: newId() }) =>
      db.batch([
        db
          .prepare('insert into message (id, threadId, userId, message) values (?, ?, ?, ?)')
          .bind(row.id, row.threadId, row.userId, row.message),
        checkContentStatement(db, 'ada', contentLimitsOf(plan, null)),
      ])
    await fill(db, 'ada', { bytes: storedContentBytes[plan] - bytes, rows })
    expect(await codeOf(write())).toBeNull()
    expect(await codeOf(write())).toEqual(guard('content_full'))
    expect(await counted(db, 'ada')).toEqual({ bytes: storedContentBytes[plan], rows: rows + 1 })
    await fill(db, 'ada', { bytes: 0, rows: storedContentRows[plan] - 1 })
    expect(await codeOf(write())).toBeNull()
    expect(await codeOf(write())).toEqual(guard('content_full'))
  })

  test('stores an answer that is streaming, with its cost', async () => {
    const db = createNodeD1()
    const threadId = await given(db, 'ada')
    const generation = generationRow('ada', threadId)
    const generationId = String(generation.id)
    await insert(db, 'generation', generation)
    await insert(db, 'creditLedger', ledgerRow('ada', generationId, 'reserve'))
    await fill(db, 'ada', { bytes: storedContentBytes.guest, rows: storedContentRows.guest })
    const answer = {
      id: generationId,
      role: 'assistant',
      parts: [{ type: 'text', text: 'y'.repeat(50_000) }],
      metadata: { modelId: 'kimi-k2', modelName: 'Kimi', modelIcon: 'i', credits: 1, ending: 'completed' },
    } as never
    const ended = await endTurn(
      { DB: db },
      {
        ...{ generationId, userId: 'ada', threadId, parentId: String(generation.parentId), answer, charged: true },
        ...{ credits: 1, keepsSearch: false, keepsResearch: false, title: null, requests: [], endedAtMs: 2 },
      },
    )
    expect(ended).toMatchObject({ userId: 'ada' })
    expect(await db.prepare('select status from generation where id = ?').bind(generationId).first('status')).toBe('completed')
    expect(
      await db.prepare('select octet_length(message) n from message where id = ?').bind(generationId).first<number>('n'),
    ).toBeGreaterThan(50_000)
    expect((await counted(db, 'ada')).bytes).toBeGreaterThan(storedContentBytes.guest)
    expect(await codeOf(checkContentStatement(db, 'ada', contentLimitsOf('guest', null)).run())).toEqual(guard('content_full'))
    // The same rows fit the next plan.
    expect(await codeOf(checkContentStatement(db, 'ada', contentLimitsOf('free', null)).run())).toBeNull()
  })

  test.each(plans)('of daily forks for %s counts each once, and resets with the day', async (plan) => {
    const db = createNodeD1()
    await given(db, 'ada')
    const fork = (day: number) => codeOf(checkContentStatement(db, 'ada', contentLimitsOf(plan, day)).run())
    for (let n = 0; n < forksPerDay[plan]; n++) expect(await fork(100)).toBeNull()
    expect(await fork(100)).toEqual(guard('fork_limit_reached'))
    // A clock that is behind does not reset a day again.
    expect(await fork(99)).toEqual(guard('fork_limit_reached'))
    expect(await fork(101)).toBeNull()
    expect(await db.prepare('select forks, forkDay from contentUse').first()).toEqual({ forks: 1, forkDay: 101 })
    // Writes without a fork are not refused for the fork limit.
    await run(db, 'update contentUse set forks = ?, forkDay = 101', forksPerDay[plan])
    expect(await codeOf(checkContentStatement(db, 'ada', contentLimitsOf(plan, null)).run())).toBeNull()
  })

  test('browsers see rounded-down values, but "full" exactly when D1 refuses', () => {
    const [bytes, rows] = [storedContentBytes, storedContentRows]
    for (const plan of plans) {
      expect([bytes[plan] % contentStepBytes, rows[plan] % contentStepRows]).toEqual([0, 0])
      expect(contentState(plan, { contentBytes: bytes[plan], contentRows: 0 }).share).toBe(1)
    }
  })
})

describe('linking a guest', () => {
  const limits = { maxBytes: 10_000, maxRows: 10, maxFileBytes: 500 }
  const link = (db: NodeD1, pair: Linking) => codeOf(linkGuest({ DB: db }, pair, 1, limits))
  const file = (db: NodeD1, userId: string, sizeBytes: number) => {
    const id = newId()
    return insert(db, 'attachment', { ...{ id, userId, uploadId: id, name: 'a', mediaType: 'image/png' }, sizeBytes, createdAt: 1 })
  }

  test('may exceed the limit of an account once, but not again', async () => {
    const db = createNodeD1()
    await given(db, 'account')
    await given(db, 'first', 1, 20_000)
    await given(db, 'second')
    expect(await link(db, { guestId: 'first', accountId: 'account' })).toBeNull()
    expect(await link(db, { guestId: 'second', accountId: 'account' })).toEqual(guard('account_full'))
    expect((await counted(db, 'second')).rows).toBe(2)
    expect(await recount(db, 'second')).toEqual(await counted(db, 'second'))
    expect((await db.prepare('select guestId from linking').all()).results).toEqual([{ guestId: 'first' }])
  })

  test('is refused by rows and by files as by bytes', async () => {
    const db = createNodeD1()
    await given(db, 'crowded', 10)
    await given(db, 'guest')
    expect(await link(db, { guestId: 'guest', accountId: 'crowded' })).toEqual(guard('account_full'))
    await file(db, 'filled', 501)
    await file(db, 'other', 1)
    expect(await link(db, { guestId: 'other', accountId: 'filled' })).toEqual(guard('account_full'))
    // A guest without files adds none.
    expect(await link(db, { guestId: 'guest', accountId: 'filled' })).toBeNull()
  })

  test('is never refused without threads and files, and repeating a completed one works', async () => {
    const db = createNodeD1()
    await given(db, 'account', 1, 20_000)
    const emptied = await given(db, 'emptied')
    await run(db, 'delete from thread where id = ?', emptied)
    for (const guestId of ['empty', 'emptied', 'empty']) expect(await link(db, { guestId, accountId: 'account' })).toBeNull()
    await expect(given(db, 'empty')).rejects.toThrow('guest_linked')
  })
})
