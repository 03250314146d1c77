// The use by day, model and project: the sums of the ledger and of the requests, after any history.
import { describe, expect, test } from 'vitest'
import { dailyUseDays } from '../../../worker/contract/limits.ts'
import { linkGuest } from '../../../worker/db/account-linking.ts'
import { pruneDailyUse } from '../../../worker/db/cleanup.ts'
import { removeContent } from '../../../worker/db/delete-user.ts'
import { exportOf } from '../../../worker/db/export.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { contentDb } from '../../../worker/db/shards.ts'
import { auditFindings } from '../../support/credit-audit.ts'
import { createNodeD1 } from '../../support/node-d1.ts'
import { createRng, type Rng } from '../../support/rng.ts'
import {
  generationRow,
  insert,
  insertStatement,
  ledgerRow,
  projectRow,
  type Row,
  requestRow,
  threadRow,
  userRow,
} from '../../support/rows.ts'

const firstDay = 20_000
const sums = ['credits', 'searches', 'tokens', 'microDollars', 'unpriced'] as const
type Sums = { [Name in (typeof sums)[number]]: number }

const all = async (db: D1Database, text: string, ...values: (string | number)[]): Promise<Row[]> =>
  (
    await db
      .prepare(text)
      .bind(...values)
      .all<Row>()
  ).results

const usedSomething = ([, used]: readonly [string, Sums]): boolean => sums.some((name) => used[name] !== 0)

/** By user, day, model and project. A turn that gave everything back may leave a row of zeros. */
async function stored(db: D1Database): Promise<ReadonlyMap<string, Sums>> {
  const rows = await all(db, 'select * from dailyUse')
  const entries = rows.map((row): [string, Sums] => {
    expect(row.id).toBe([row.userId, row.day, row.projectId ?? '', row.modelId].join(':'))
    return [String(row.id), Object.fromEntries(sums.map((name) => [name, Number(row[name])])) as Sums]
  })
  return new Map(entries.filter(usedSomething))
}

type Turn = {
  readonly id: string
  readonly userId: string
  readonly threadId: string
  readonly modelId: string
  readonly day: number
  readonly credits: number
  readonly projectId: string | null
  search: 0 | 1
}

/** A random history and what it must leave, counted apart from the triggers. */
class History {
  readonly db = createNodeD1()
  readonly expected = new Map<string, Sums>()
  readonly threads = new Map<string, { readonly userId: string; projectId: string | null }>()
  open: Turn[] = []
  /** The days of searches, by turn. */
  readonly searched = new Map<string, number>()
  ended: Turn[] = []
  day = firstDay
  readonly rng: Rng
  constructor(rng: Rng) {
    this.rng = rng
  }

  async newUser(isAnonymous: boolean): Promise<string> {
    const row = userRow({ isAnonymous: isAnonymous ? 1 : 0 })
    await insert(this.db, 'user', row)
    for (let thread = 0; thread < 3; thread++) {
      const id = newId()
      await insert(this.db, 'thread', threadRow(String(row.id), { id }))
      this.threads.set(id, { userId: String(row.id), projectId: null })
    }
    return String(row.id)
  }

  add({ userId, modelId, projectId }: Turn, day: number, added: Partial<Sums>): void {
    const id = [userId, day, projectId ?? '', modelId].join(':')
    const sum = this.expected.get(id) ?? { credits: 0, searches: 0, tokens: 0, microDollars: 0, unpriced: 0 }
    for (const name of sums) sum[name] += added[name] ?? 0
    this.expected.set(id, sum)
  }

  async begin(): Promise<void> {
    const [threadId, { userId, projectId }] = this.rng.pick([...this.threads])
    const credits = this.rng.below(9)
    const turn: Turn = {
      ...{ id: newId(), userId, threadId, projectId, credits, search: this.rng.chance(0.3) ? 1 : 0, day: this.day },
      modelId: this.rng.pick(['kimi-k2', 'ollama/llama3:8b']),
    }
    const { id, modelId, search, day } = turn
    await this.db.batch([
      insertStatement(this.db, 'generation', generationRow(userId, threadId, { id, modelId, projectId, credits, day })),
      insertStatement(this.db, 'creditLedger', ledgerRow(userId, id, 'reserve', { credits, search, day })),
    ])
    this.open.push(turn)
  }

  /** A search that the model decided to make, on the day when it is made, which may be given back after the ending. */
  async search(): Promise<void> {
    const turn = this.rng.pick(this.open)
    const { id, userId } = turn
    const { day } = this
    const row = ledgerRow(userId, id, 'reserve', { id: `${id}:search`, credits: 0, search: 1, day })
    if (turn.search === 1 || this.searched.has(id)) return
    await insert(this.db, 'creditLedger', row)
    this.searched.set(id, day)
  }

  async giveSearchBack(turn: Turn): Promise<void> {
    const day = this.searched.get(turn.id)
    if (day === undefined || this.rng.chance(0.5)) return
    const row = ledgerRow(turn.userId, turn.id, 'release', { id: `${turn.id}:search:release`, credits: 0, search: -1, day })
    await insert(this.db, 'creditLedger', row)
    this.add(turn, day, { searches: -1 })
  }

  request(turn: Turn, purpose: string, number: number): { readonly row: Row; readonly used: Partial<Sums> } {
    const microDollars = this.rng.chance(0.3) ? null : this.rng.below(500)
    const inputTokens = this.rng.chance(0.2) ? null : this.rng.below(5000)
    const row = requestRow(turn.userId, turn.id, {
      ...{ id: `${turn.id}:${purpose}:${number}`, purpose, day: turn.day, inputTokens, outputTokens: 7, microDollars },
    })
    const tokens = (inputTokens ?? 0) + 7
    return { row, used: { tokens, microDollars: microDollars ?? 0, unpriced: microDollars === null ? 1 : 0 } }
  }

  /** Ends a turn, of today or of an earlier day. The ledger may be written before the requests or after them. */
  async end(): Promise<void> {
    const turn = this.open.splice(this.rng.below(this.open.length), 1)[0]
    if (!turn) return
    const { id, userId, credits, search, day } = turn
    const kind = this.rng.pick(['settle', 'settle', 'release'] as const)
    const returned = kind === 'release' ? credits : this.rng.below(credits + 1)
    const keptSearch = kind === 'settle' && this.rng.chance(0.7) ? search : 0
    const requests = Array.from({ length: this.rng.below(4) }, (_, index) => this.request(turn, 'answer', index + 1))
    const ledger = insertStatement(
      this.db,
      'creditLedger',
      ledgerRow(userId, id, kind, { credits: -returned, search: keptSearch - search, day }),
    )
    const inserts = requests.map(({ row }) => insertStatement(this.db, 'modelRequest', row))
    await this.db.batch([
      this.db.prepare("update generation set status = 'completed', endedAt = 2 where id = ?").bind(id),
      ...(this.rng.chance(0.5) ? [ledger, ...inserts] : [...inserts, ledger]),
    ])
    this.add(turn, day, { credits: credits - returned, searches: keptSearch })
    const searchDay = this.searched.get(id)
    if (searchDay !== undefined) this.add(turn, searchDay, { searches: 1 })
    for (const { used } of requests) this.add(turn, day, used)
    await this.giveSearchBack(turn)
    this.ended.push(turn)
  }

  /** The request for a title, while its turn runs or after it has ended. */
  async title(): Promise<void> {
    const turn = this.rng.pick([...this.open, ...this.ended])
    const { row, used } = this.request(turn, 'title', 1)
    const isDone = await insert(this.db, 'modelRequest', row).then(
      () => true,
      () => false,
    )
    if (isDone) this.add(turn, turn.day, used)
  }

  async moveThread(): Promise<void> {
    const [id, thread] = this.rng.pick([...this.threads])
    const project = projectRow(thread.userId, { id: newId() })
    await insert(this.db, 'project', project)
    thread.projectId = this.rng.chance(0.3) ? null : String(project.id)
    await this.db.prepare('update thread set projectId = ? where id = ?').bind(thread.projectId, id).run()
  }

  async link(guestId: string, accountId: string): Promise<void> {
    for (let time = 0; time < 2; time++) await linkGuest({ DB: this.db }, { guestId, accountId }, 1)
    const owned = (turn: Turn): Turn => (turn.userId === guestId ? { ...turn, userId: accountId } : turn)
    this.open = this.open.map(owned)
    this.ended = this.ended.map(owned)
    for (const [id, thread] of this.threads) if (thread.userId === guestId) this.threads.set(id, { ...thread, userId: accountId })
    for (const [id, used] of [...this.expected].filter(([key]) => key.startsWith(`${guestId}:`))) {
      this.expected.delete(id)
      const moved = accountId + id.slice(guestId.length)
      const sum = this.expected.get(moved)
      this.expected.set(moved, sum ? (Object.fromEntries(sums.map((name) => [name, sum[name] + used[name]])) as Sums) : used)
    }
  }

  async remove(userId: string): Promise<void> {
    await removeContent({ DB: this.db }, userId, 1)
    this.open = this.open.filter((turn) => turn.userId !== userId)
    this.ended = this.ended.filter((turn) => turn.userId !== userId)
    for (const [id, thread] of this.threads) if (thread.userId === userId) this.threads.delete(id)
    for (const id of this.expected.keys()) if (id.startsWith(`${userId}:`)) this.expected.delete(id)
  }

  async check(step: string): Promise<void> {
    expect(await stored(this.db), step).toEqual(new Map([...this.expected].filter(usedSomething)))
    expect(await auditFindings('usage', (queries) => Promise.all(queries.map((text) => all(this.db, text)))), step).toEqual([])
  }
}

describe.each(Array.from({ length: 12 }, (_, index) => index + 1))('seed %i', (seed) => {
  test('the use of each day, model and project is the sum of its ended turns', async () => {
    const rng = createRng(seed)
    const history = new History(rng)
    const [account, guest, other, leaver] = [
      await history.newUser(false),
      await history.newUser(true),
      await history.newUser(true),
      await history.newUser(false),
    ]
    const rare = new Map<number, () => Promise<void>>([
      [60, () => history.link(guest, account)],
      [90, () => history.remove(leaver)],
      [110, () => history.link(other, account)],
    ])
    for (let step = 0; step < 140; step++) {
      if (rng.chance(0.08)) history.day += 1
      const act = rare.get(step) ?? (() => randomAct(history))
      await act()
      if (step % 10 === 0 || rare.has(step)) await history.check(`step ${step}`)
    }
    await history.check('the end')
  })
})

function randomAct(history: History): Promise<void> {
  const chosen = history.rng.next()
  if (chosen < 0.4 || history.open.length === 0) return history.begin()
  if (chosen < 0.75) return history.end()
  if (chosen < 0.85) return history.search()
  return chosen < 0.92 ? history.title() : history.moveThread()
}

const turnOf = async (db: D1Database, userId: string, day: number): Promise<string> => {
  const thread = threadRow(userId)
  const generation = generationRow(userId, String(thread.id), { day })
  const id = String(generation.id)
  await insert(db, 'thread', thread)
  await insert(db, 'generation', generation)
  await insert(db, 'creditLedger', ledgerRow(userId, id, 'reserve', { credits: 3, day }))
  await insert(db, 'creditLedger', ledgerRow(userId, id, 'settle', { credits: -1, day }))
  return id
}

test('is deleted after thirteen months, and the ledger is not', async () => {
  const db = createNodeD1()
  await turnOf(db, 'ada', firstDay)
  await turnOf(db, 'ada', firstDay + 1)
  const dayMs = 24 * 60 * 60 * 1000
  expect(await pruneDailyUse(db, (firstDay + 1 + dailyUseDays) * dayMs)).toBe(1)
  expect(await all(db, 'select day from dailyUse')).toEqual([{ day: firstDay + 1 }])
  expect(await all(db, "select day from creditLedger where kind = 'settle' order by day")).toEqual([
    { day: firstDay },
    { day: firstDay + 1 },
  ])
})

test('moves to another database as it is, although the thread has left its project', async () => {
  const env = { DB: createNodeD1(), CONTENT_DB_1: createNodeD1(), CONTENT_DB_2: createNodeD1() }
  const [guestId, accountId] = [newId(), `${newId()}-2`]
  const [source, target] = [contentDb(env, guestId), contentDb(env, accountId)]
  for (const [id, isAnonymous] of [
    [guestId, 1],
    [accountId, 0],
  ] as const)
    await insert(env.DB, 'user', userRow({ id, isAnonymous }))
  const project = projectRow(guestId)
  await insert(source, 'project', project)
  const thread = threadRow(guestId, { projectId: project.id ?? null })
  const generation = generationRow(guestId, String(thread.id), { day: firstDay, projectId: project.id ?? null })
  await insert(source, 'thread', thread)
  await insert(source, 'generation', generation)
  await insert(source, 'creditLedger', ledgerRow(guestId, String(generation.id), 'reserve', { credits: 3 }))
  await insert(source, 'modelRequest', requestRow(guestId, String(generation.id)))
  await insert(source, 'creditLedger', ledgerRow(guestId, String(generation.id), 'settle', { credits: -1 }))
  await source.prepare('update thread set projectId = null').run()
  for (let time = 0; time < 2; time++) await linkGuest(env, { guestId, accountId }, 1)
  expect(await all(source, 'select * from dailyUse')).toEqual([])
  expect(await all(target, 'select userId, day, projectId, credits, tokens, microDollars from dailyUse')).toEqual([
    { userId: accountId, day: firstDay, projectId: project.id, credits: 2, tokens: 13, microDollars: 25 },
  ])
})

test('is part of the export', async () => {
  const db = createNodeD1()
  await insert(db, 'user', userRow({ id: 'ada' }))
  await turnOf(db, 'ada', firstDay)
  let text = ''
  for await (const part of exportOf({ DB: db }, 'ada', 1, async () => undefined)) text += part
  expect((JSON.parse(text) as { dailyUse: unknown }).dailyUse).toEqual([
    {
      ...{ day: firstDay, modelId: 'kimi-k2', projectId: null },
      ...{ credits: 2, searches: 0, tokens: 0, microDollars: 0, unpriced: 0 },
    },
  ])
})
