// Random deletions, undos, edits, forks, imports, purges and readings on D1: every prompt has exactly the facts whose source can be seen, and so has
// the export. Rules: worker/turns/SPEC.md, B1, B4 and B5.
import { expect, test } from 'vitest'
import type { TableName } from '../../../worker/contract/schema.ts'
import { isPresent } from '../../../worker/contract/threads/memories.ts'
import { purgeMemories, purgeMessages, purgeThreads } from '../../../worker/db/cleanup.ts'
import { exportOf } from '../../../worker/db/export.ts'
import { claimReading, storeMemories } from '../../../worker/db/memories.ts'
import { decodeRow, rowSql } from '../../../worker/db/row-json.ts'
import { ensureUserRows } from '../../../worker/db/user-rows.ts'
import { type D1Write, rowStatement } from '../../../worker/db/writes.ts'
import { startCommand } from '../../../worker/turns/turn-commands.ts'
import { createNodeD1, type NodeD1 } from '../../support/node-d1.ts'
import { createRng, type Rng } from '../../support/rng.ts'
import { insert, messageRow, threadRow } from '../../support/rows.ts'
import { type Given, overlayOf, replicaOf, runNamed, userId } from '../sync/replica.ts'

type Stored = { readonly [column: string]: string | number | null }
const all = async <T = Stored>(db: NodeD1, sql: string, ...values: (string | number)[]) =>
  (
    await db
      .prepare(sql)
      .bind(...values)
      .all<T>()
  ).results

const synced = ['thread', 'project', 'message', 'memory', 'setting', 'usage'] as const satisfies readonly TableName[]

/** The rows of D1 as a replica. */
async function replicaIn(db: NodeD1) {
  const given: Given[] = [['user', { id: userId }], ['model']]
  for (const table of synced)
    for (const { row } of await all<{ row: string }>(db, `select ${rowSql(table)} row from ${table}`))
      given.push([table, decodeRow(table, row) as NonNullable<Given[1]>])
  return replicaOf(...given)
}

/** Every fact of this test has this word, so all present facts meet each question, up to the limit of a prompt. */
const subject = 'gardening'

class World {
  readonly db = createNodeD1()
  readonly rng: Rng
  nowMs = 1_800_000_000_000
  #count = 0

  constructor(rng: Rng) {
    this.rng = rng
  }

  newId = () => `row-number-${++this.#count}`

  async mutate(name: string, args: object): Promise<void> {
    const outcome = await runNamed(overlayOf(await replicaIn(this.db)), name, args as never, this.nowMs++)
    if (outcome.type !== 'applied') return
    for (const write of outcome.writes) await rowStatement(this.db, userId, write as D1Write).run()
  }

  async any(sql: string): Promise<Stored | undefined> {
    const rows = await all(this.db, sql)
    return rows.length === 0 ? undefined : this.rng.pick(rows)
  }

  /** A question below a message, and its answer. A question that was pasted or imported has no mark. */
  async ask(): Promise<void> {
    const parent = this.rng.chance(0.2) ? undefined : await this.any('select id, threadId from message')
    const threadId = String(parent?.threadId ?? this.newId())
    if (!parent) await insert(this.db, 'thread', threadRow(userId, { id: threadId }))
    const [question, answer] = [this.newId(), this.newId()]
    const isTyped = this.rng.chance(0.7)
    const row = (id: string, message: object) =>
      insert(this.db, 'message', messageRow(userId, threadId, { ...message, id, createdAt: this.nowMs++, updatedAt: this.nowMs }))
    const parts = [{ type: 'text', text: `About ${subject}` }]
    await row(question, {
      parentId: parent ? String(parent.id) : null,
      message: JSON.stringify({ id: question, role: 'user', parts, ...(isTyped && { isTyped }) }),
    })
    const metadata = { modelId: 'kimi-k2', modelName: 'K', modelIcon: 'i', ending: 'completed', credits: 1 }
    await row(answer, { parentId: question, message: JSON.stringify({ id: answer, role: 'assistant', parts, metadata }) })
    await this.db.prepare('update thread set headId = ? where id = ?').bind(answer, threadId).run()
  }

  async read(): Promise<void> {
    const question = await this.any("select id, threadId from message where message ->> '$.role' = 'user'")
    if (!question) return
    const turn = { generationId: this.newId(), userId, threadId: String(question.threadId), parentId: String(question.id) }
    if (!(await claimReading({ DB: this.db }, turn, 1))) return
    // Another device deletes it during the request.
    if (this.rng.chance(0.2)) await this.mutate('messages.delete', { threadId: turn.threadId, messageId: turn.parentId, at: 1 })
    const texts = [`Likes ${subject} ${turn.parentId}`]
    const store = () => storeMemories({ DB: this.db }, turn, { texts, requests: [], nowMs: this.nowMs++ })
    await store()
    expect(await store()).toBeNull()
  }

  async step(): Promise<void> {
    const message = await this.any('select id, threadId from message')
    const thread = await this.any('select id from thread')
    const memory = await this.any('select id from memory')
    const place = { threadId: message?.threadId, messageId: message?.id, at: 1 }
    const threadIds = [thread?.id]
    const purge = (from: 'thread' | 'message' | 'memory') =>
      this.db.prepare(`update ${from} set deletedAt = 1 where deletedAt is not null and id = ?`)
    const acts: readonly (() => Promise<unknown>)[] = [
      ...Array.from({ length: 3 }, () => () => this.ask()),
      ...Array.from({ length: 4 }, () => () => this.read()),
      () => this.mutate('messages.delete', place),
      () => this.mutate('messages.delete', place),
      () => this.mutate('messages.restore', place),
      () => this.mutate('messages.restore', place),
      () => this.mutate('threads.delete', { threadIds, at: 1 }),
      () => this.mutate('threads.restore', { threadIds }),
      () => this.mutate('threads.fork', { ...place, newThreadId: `forked-thread-${this.newId()}` }),
      () => this.mutate('memories.save', { id: memory?.id, text: `Loves ${subject}` }),
      () => this.mutate('memories.save', { id: memory?.id, isPinned: this.rng.chance(0.5) }),
      () => this.mutate('memories.delete', { id: memory?.id }),
      () => this.mutate('memories.restore', { id: memory?.id }),
      () => this.import(),
      async () => {
        for (const [table, row] of [['thread', thread] as const, ['message', message] as const, ['memory', memory] as const])
          await purge(table)
            .bind(row?.id ?? '')
            .run()
        await purgeThreads(this.db, this.nowMs)
        await purgeMessages(this.db, this.nowMs)
        await purgeMemories(this.db, this.nowMs)
      },
    ]
    await this.rng.pick(acts)()
  }

  async import(): Promise<void> {
    const [id, threadId] = [this.newId(), this.newId()]
    const messages = [{ id, parentId: null, role: 'user', text: `My ${subject}`, createdAt: 1, isTyped: true }]
    await this.mutate('threads.import', { threads: [{ id: threadId, title: 'T', headId: id, createdAt: 1, updatedAt: 1, messages }] })
  }

  /** The facts that count, by walking up from each message in D1. */
  async visible(): Promise<string[]> {
    const messages = new Map((await all(this.db, 'select id, parentId, deletedAt, threadId from message')).map((row) => [row.id, row]))
    const threads = new Map((await all(this.db, 'select id, deletedAt from thread')).map((row) => [row.id, row]))
    const isSeen = (id: string | number | null): boolean => {
      const message = messages.get(id)
      if (!message || message.deletedAt !== null || threads.get(message.threadId ?? null)?.deletedAt !== null) return false
      return message.parentId === null || isSeen(message.parentId ?? null)
    }
    const facts = await all(this.db, 'select id, messageId, editedAt, deletedAt from memory')
    return facts
      .filter(({ messageId, editedAt, deletedAt }) => deletedAt === null && (editedAt !== null || isSeen(messageId ?? null)))
      .map(({ id }) => String(id))
      .sort()
  }
}

test.each(Array.from({ length: 12 }, (_, seed) => seed))('[B1] no prompt has a fact whose source is gone, seed %i', async (seed) => {
  const world = new World(createRng(seed))
  await ensureUserRows(world.db, userId)
  await world.db.prepare('update setting set isMemoryOn = 1 where userId = ?').bind(userId).run()
  await world.ask()
  let mostGiven = 0
  for (let step = 0; step < 90; step++) {
    await world.step()
    const visible = await world.visible()
    const engine = await replicaIn(world.db)
    const question = await world.any(
      "select message.id, threadId from message join thread on thread.id = threadId where message ->> '$.role' = 'user'",
    )
    if (question) {
      const turn = { generationId: 'answer', threadId: String(question.threadId), parentId: String(question.id), modelId: 'kimi-k2' }
      const reserved = { ...turn, mode: 'chat' as const, continueId: null, effort: null, queuedId: null, credits: 1, objectId: 'o' }
      const given = (startCommand(engine, userId, reserved, 1)?.profile.memories ?? []).map(({ id }) => id).sort()
      expect(visible, `step ${step}`).toEqual(expect.arrayContaining(given))
      if (visible.length <= 8) expect(given, `step ${step}`).toEqual(visible)
      mostGiven = Math.max(mostGiven, given.length)
    }
    // The list of the page, from the rows that the query sends.
    const deletedIds = new Set((await all(world.db, 'select id from message where deletedAt is not null')).map(({ id }) => String(id)))
    const threads = new Map((await all(world.db, 'select id, deletedAt from thread')).map((row) => [row.id, row]))
    const rows = await all<{ row: string }>(world.db, `select ${rowSql('memory')} row from memory`)
    const listed = rows.map(({ row }) => decodeRow('memory', row) as { id: string; threadId: string; path: string[] })
    const isListed = (fact: (typeof listed)[number]) =>
      isPresent(fact, () => ({ thread: threads.get(fact.threadId) as { deletedAt: number | null } | undefined, deletedIds }))
    expect(
      listed
        .filter(isListed)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(visible)
    // A forked, imported or pasted message is never the source of a fact.
    expect(
      await all(world.db, "select memory.id from memory join message on message.id = messageId where message ->> '$.isTyped' is null"),
    ).toEqual([])
  }
  let exported = ''
  for await (const text of exportOf({ DB: world.db }, userId, world.nowMs, async () => undefined)) exported += text
  const { memories } = JSON.parse(exported) as { memories: readonly { id: string }[] }
  expect(memories.map(({ id }) => id).sort()).toEqual(await world.visible())
  expect(mostGiven).toBeGreaterThan(0)
})
