// Guests of one content database link to accounts of another, over HTTP, while kill -9 ends the server at each step of the copy: every
// thread ends in the account once, and nothing remains with the guest.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Account, newAccount } from '../support/account.ts'
import { type Guest, newGuest } from '../support/guest.ts'
import { type Product, startProduct } from '../support/product.ts'
import { auditRecord, openDatabases } from '../support/record-file.ts'
import { connectRaw, freshId, sendArgs } from './attack-wire.ts'

const CRON_SECRET = 'the secret of the clock'
/** In order. */
const steps = ['unmarked', 'marked', 'copying', 'linked', 'deleting', 'finished'] as const
type Step = (typeof steps)[number]
const killedAt = ['marked', 'copying', 'linked', 'deleting'] as const satisfies readonly Step[]
/** Enough for several batches of each step. */
const [threads, messagesEach] = [60, 8]
const list = { hash: 'list', name: 'threads.list', args: [{ limit: 100 }] }

const stateDir = mkdtempSync(join(tmpdir(), 'parley-linking-'))
let product: Product
const guests: { readonly guest: Guest; readonly threadIds: readonly string[] }[] = []
const nextGuest = () => {
  const next = guests.pop()
  if (!next) throw new Error('every guest is linked already')
  return next
}

beforeAll(async () => {
  product = await startProduct({ stateDir, env: { CONTENT_DATABASES: '2' } })
  const made = await Promise.all(Array.from({ length: 2 * killedAt.length + 1 }, () => newGuest(product.url)))
  const answered = new Map<Guest, string>()
  for (const guest of made) {
    const wire = await connectRaw(guest, { queries: [list] })
    const { threadId } = sendArgs()
    expect(await wire.mutate('threads.send', sendArgs({ threadId }))).toBeNull()
    await wire.until(() => wire.rows.get(`thread ${threadId}`)?.status === 'ready', 'an answer')
    await wire.close()
    answered.set(guest, threadId)
  }
  await product.stop()
  for (const [guest, threadId] of answered) guests.push({ guest, threadIds: [threadId, ...addThreads(guest.userId)] })
  // With one more database: accounts are created in the new one, the guests stay where they are.
  product = await startProduct({ stateDir, env: { CONTENT_DATABASES: '3', CRON_SECRET }, port: product.port })
})
afterAll(async () => {
  await product?.stop()
  rmSync(stateDir, { recursive: true, force: true })
})

function addThreads(userId: string): string[] {
  const database = databaseOf(userId)
  const ids = Array.from({ length: threads - 1 }, () => freshId('thread'))
  const thread = database.prepare(
    "insert into thread (id, userId, title, status, createdAt, updatedAt) values (?, ?, 'A thread', 'ready', 1, 1)",
  )
  const message = database.prepare('insert into message (id, threadId, userId, message, createdAt, updatedAt) values (?, ?, ?, ?, 1, 1)')
  database.exec('begin')
  for (const threadId of ids) {
    thread.run(threadId, userId)
    for (let i = 0; i < messagesEach; i++) {
      const id = freshId('message')
      message.run(id, threadId, userId, JSON.stringify({ id, role: 'user', parts: [{ type: 'text', text: 'hello' }] }))
    }
  }
  database.exec('commit')
  database.close()
  return ids
}

/** The content database that has the user's settings. */
function databaseOf(userId: string, isRunning = false): DatabaseSync {
  const isOwn = (database: DatabaseSync) => database.prepare('select 1 from setting where userId = ?').get(userId) !== undefined
  const databases = openDatabases(stateDir, isRunning)
  const own = databases.find(isOwn)
  for (const database of databases) if (database !== own) database.close()
  if (!own) throw new Error(`no database has settings of ${userId}`)
  return own
}

const count = (database: DatabaseSync, sql: string, userId: string) =>
  Number(database.prepare(`select count(*) n from ${sql} = ?`).get(userId)?.n)

function stepOf(source: DatabaseSync, target: DatabaseSync, guestId: string): Step {
  const mark = source.prepare('select finishedAt from linking where guestId = ?').get(guestId)
  if (!mark) return 'unmarked'
  if (mark.finishedAt !== null) return 'finished'
  if (count(source, 'thread where userId', guestId) < threads) return 'deleting'
  if (count(target, 'linking where guestId', guestId) > 0) return 'linked'
  return count(target, 'thread where userId', guestId) > 0 ? 'copying' : 'marked'
}

/** Starts the linking, and kills the server as soon as the files show this step or a later one. Returns the step of the files. */
async function dieAt(step: Step, { guest, account }: { readonly guest: Guest; readonly account: Account }): Promise<Step> {
  const [source, target] = [databaseOf(guest.userId, true), databaseOf(account.userId, true)]
  const isReached = () => steps.indexOf(stepOf(source, target, guest.userId)) >= steps.indexOf(step)
  const linking = link(guest, account.email).then(
    () => 'answered',
    () => 'cut off',
  )
  while (!isReached()) await new Promise((resolve) => setImmediate(resolve))
  await product.kill9()
  await linking
  const found = stepOf(source, target, guest.userId)
  for (const database of [source, target]) database.close()
  return found
}

/** Logs in by a code in the guest's browser. */
const link = (guest: Guest, email: string): Promise<Account> => newAccount(product.url, email, 'node', guest.cookie)

async function expectLinked(account: Account, threadIds: readonly string[]): Promise<void> {
  const wire = await connectRaw(account, { queries: [list] })
  await wire.until(() => [...wire.rows.keys()].filter((key) => key.startsWith('thread ')).length === threads, 'the threads of the guest')
  expect(threadIds.filter((id) => !wire.rows.has(`thread ${id}`))).toEqual([])
  await wire.close()
  const target = databaseOf(account.userId, true)
  expect(count(target, 'thread where userId', account.userId)).toBe(threads)
  // The answered thread has a question and an answer.
  expect(count(target, 'message where userId', account.userId)).toBe((threads - 1) * messagesEach + 2)
  target.close()
}

async function runScheduledJobs(): Promise<void> {
  const done = await fetch(`${product.url}/api/reset`, { headers: { authorization: `Bearer ${CRON_SECRET}` } })
  expect(done.status).toBe(200)
}

function expectNothingLeft(guestId: string): void {
  const owned = ['thread', 'message', 'generation', 'creditLedger', 'setting', 'usage', 'contentUse']
  for (const database of openDatabases(stateDir, true)) {
    expect(owned.filter((table) => count(database, `${table} where userId`, guestId) > 0)).toEqual([])
    database.close()
  }
}

test('a guest keeps all threads', async () => {
  const { guest, threadIds } = nextGuest()
  const account = await newAccount(product.url, 'keeps@linking.test')
  expect([guest.userId.slice(-2), account.userId.slice(-2)]).toEqual(['-2', '-3'])
  const linked = await link(guest, account.email)
  expect(linked.userId).toBe(account.userId)
  await expectLinked(linked, threadIds)
  expectNothingLeft(guest.userId)
})

test.each(killedAt)('a second login shows all threads after the server died during linking at step %s', async (step) => {
  const { guest, threadIds } = nextGuest()
  const account = await newAccount(product.url, `${step}-login@linking.test`)
  const found = await dieAt(step, { guest, account })
  expect(steps.indexOf(found)).toBeGreaterThanOrEqual(steps.indexOf(step))
  expect(await auditRecord(stateDir)).toEqual([])
  await product.restart()
  await expectLinked(await link(guest, account.email), threadIds)
  // A deleted guest has no session that could complete it.
  await runScheduledJobs()
  expectNothingLeft(guest.userId)
})

test.each(killedAt)('the scheduled job completes a linking after the server died at step %s', async (step) => {
  const { guest, threadIds } = nextGuest()
  const account = await newAccount(product.url, `${step}-job@linking.test`)
  await dieAt(step, { guest, account })
  await product.restart()
  await runScheduledJobs()
  await expectLinked(account, threadIds)
  expectNothingLeft(guest.userId)
})
