// A deletion that began ends, wherever the isolate is killed: the scheduled work completes it.
import { runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { deleteAccount, finishDeletions } from '../../../worker/auth/account-deletion.ts'
import { billingFor } from '../../../worker/billing/billing.ts'
import type { Env } from '../../../worker/bindings.ts'
import { addCustomer } from '../../../worker/db/customers.ts'
import { lateRowsMs } from '../../../worker/db/delete-user.ts'
import { classifyD1Error } from '../../../worker/db/errors.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { systemClock } from '../../../worker/lib/clock.ts'
import { runScheduledWork } from '../../../worker/scheduled.ts'
import { mustSettings } from '../../../worker/settings.ts'
import { generationRow, insert, memberRow, organizationRow, threadRow } from '../../support/rows.ts'
import { auditOnly } from '../audit.ts'
import { content, env } from '../bindings.ts'
import { connected, threadList } from '../sync-wire.ts'
import { newObjectId } from '../turns.ts'
import { fillAccount, tablesNaming } from './account-rows.ts'
import { Browser, codeFor, signInByCode } from './browser.ts'

auditOnly('ledger')

const settings = mustSettings(env)

class KilledError extends Error {
  override name = 'KilledError'
}

/** The bindings of an isolate that is killed before its operation number `count`: that one and all later ones fail. */
function killedAt(count: number): { readonly env: Env; readonly wasKilled: () => boolean } {
  let left = count
  const operate = () => {
    if (left-- <= 0) throw new KilledError('the isolate was killed')
  }
  const originals = new WeakMap<object, D1PreparedStatement>()
  const statement = (original: D1PreparedStatement): D1PreparedStatement => {
    const run =
      (name: 'all' | 'first' | 'raw' | 'run') =>
      // biome-ignore lint/suspicious/noExplicitAny: passes the arguments through, whatever they are
      async (...args: any[]) => {
        operate()
        // biome-ignore lint/suspicious/noExplicitAny: as above
        return (original[name] as any)(...args)
      }
    const wrapped = {
      bind: (...values: unknown[]) => statement(original.bind(...values)),
      ...{ all: run('all'), first: run('first'), raw: run('raw'), run: run('run') },
    } as unknown as D1PreparedStatement
    originals.set(wrapped, original)
    return wrapped
  }
  const database = (original: D1Database) =>
    ({
      prepare: (sql: string) => statement(original.prepare(sql)),
      batch: async (statements: D1PreparedStatement[]) => {
        operate()
        return original.batch(statements.map((wrapped) => originals.get(wrapped) ?? wrapped))
      },
    }) as unknown as D1Database
  const methods = <T extends object>(original: T): T =>
    new Proxy(original, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return async (...args: unknown[]) => {
          operate()
          return Reflect.apply(value, target, args) as unknown
        }
      },
    })
  const databases = Object.entries(env).filter(([name]) => name === 'DB' || name.startsWith('CONTENT_DB_'))
  return {
    env: {
      ...env,
      ...Object.fromEntries(databases.map(([name, original]) => [name, database(original as D1Database)])),
      FILES: env.FILES && methods(env.FILES),
      FIRST_PAGES: env.FIRST_PAGES && methods(env.FIRST_PAGES),
      USER_SYNC: { getByName: (name: string) => methods(env.USER_SYNC.getByName(name)) } as unknown as Env['USER_SYNC'],
      GENERATION: {
        idFromString: (id: string) => env.GENERATION.idFromString(id),
        get: (id: DurableObjectId) => methods(env.GENERATION.get(id)),
      } as unknown as Env['GENERATION'],
    } as Env,
    wasKilled: () => left < 0,
  }
}

let accounts = 0

/** An account with something in every place that a deletion has to reach. */
async function fullAccount() {
  const email = `kill-${++accounts}@kill.test`
  const browser = new Browser()
  const { userId } = await signInByCode(browser, email)
  const { token } = await browser.json<{ token: string }>('/api/auth/token')
  // The object has rows of the user.
  await connected({ userId, token }, { queries: [threadList] })
  await fillAccount(userId, 2)
  const thread = threadRow(userId)
  await insert(content, 'thread', thread)
  await insert(content, 'generation', generationRow(userId, String(thread.id), { status: 'open', objectId: newObjectId() }))
  const fileId = newId()
  const file = { id: fileId, userId, uploadId: newId(), name: 'a', mediaType: 'image/png', sizeBytes: 1, createdAt: 1 }
  await insert(content, 'attachment', file)
  for (const key of [`files/${fileId}`, `files/${fileId}/thumbnail`]) await env.FILES?.put(key, 'x')
  await env.FIRST_PAGES?.put(`first-page/${userId}/session`, '{}')
  const organization = organizationRow()
  const organizationId = String(organization.id)
  await insert(env.DB, 'organization', organization)
  await insert(env.DB, 'member', memberRow(organizationId, userId, { role: 'owner' }))
  const { stripe } = billingFor(env, settings) ?? expect.unreachable('payments are simulated')
  const customers = await Promise.all([1, 2].map(() => stripe.customers.create({ name: 'Ada' })))
  const [own, shared] = customers.map(({ id }) => id)
  expect(await addCustomer(env.DB, { kind: 'user', id: userId }, String(own))).toBe(true)
  expect(await addCustomer(env.DB, { kind: 'organization', id: organizationId }, String(shared))).toBe(true)
  return { browser, email, userId, fileId, organizationId, customers: [String(own), String(shared)], stripe }
}

type FullAccount = Awaited<ReturnType<typeof fullAccount>>

/** All remaining data of the account. */
async function traces({ userId, email, fileId, organizationId, customers, stripe }: FullAccount): Promise<unknown[]> {
  const tables = await Promise.all([userId, email, organizationId].map(tablesNaming))
  const keys = await env.FILES?.list({ prefix: `files/${fileId}` })
  const pages = await env.FIRST_PAGES?.list({ prefix: `first-page/${userId}/` })
  const paying = (await Promise.all(customers.map((id) => stripe.customers.retrieve(id)))).filter(({ deleted }) => !deleted)
  const inObject = await runInDurableObject(env.USER_SYNC.getByName(userId), async (_object, { storage }) => [
    ...[...storage.sql.exec("select name from sqlite_master where type = 'table' and name = 'thread'")].map(({ name }) => name),
    ...((await storage.getAlarm()) === null ? [] : ['alarm']),
  ])
  return [...tables.flat(), ...(keys?.objects ?? []), ...(pages?.keys ?? []), ...paying, ...inObject]
}

/** Until the next run, the lease of a killed request to the payment provider expires. */
const fiveMinutesPass = () => env.DB.prepare('update billingLease set untilMs = 0').run()

const failureOf = (work: Promise<unknown>) => work.then(() => 'written', classifyD1Error)

test('killed before any operation, and killed again in the scheduled work, it leaves nothing; before the mark nothing was deleted', async () => {
  let hasEnded = false
  for (let count = 0; !hasEnded; count++) {
    const account = await fullAccount()
    const { userId, email } = account
    const request = killedAt(count)
    const refused = await deleteAccount(request.env, settings, userId).then(
      () => false,
      () => true,
    )
    hasEnded = !request.wasKilled()
    if (refused) {
      // The mark was not written.
      expect([count, await failureOf(insert(content, 'thread', threadRow(userId)))]).toEqual([0, 'written'])
      expect(await account.browser.json('/api/auth/get-session')).not.toBeNull()
      await deleteAccount(env, settings, userId)
    } else if (!hasEnded) {
      expect(await failureOf(insert(content, 'thread', threadRow(userId)))).toEqual({ kind: 'guard', code: 'account_deleted' })
      for (const again of [Math.floor(count / 2), count]) {
        await fiveMinutesPass()
        const run = killedAt(again)
        await finishDeletions(run.env, settings, Date.now()).catch(() => 0)
      }
    }
    await fiveMinutesPass()
    await finishDeletions(env, settings, Date.now())
    expect([count, email, await traces(account)]).toEqual([count, email, []])
    // The next runs do not repeat this deletion.
    await content.prepare('update accountDeletion set settledAt = 1').run()
  }
}, 600_000)

test('a payment provider that does not respond does not keep the deletion from ending', async () => {
  const account = await fullAccount()
  const { userId, email } = account
  const down: Env = {
    ...env,
    STAND_INS: { ...env.STAND_INS, paymentFetch: () => () => Promise.reject(new TypeError('no route')) } as never,
  }
  await deleteAccount(down, mustSettings(down), userId)
  // Only the rows that are needed to end the payments remain. The address cannot sign in to it.
  expect(await tablesNaming(userId)).not.toContain('thread')
  expect(await tablesNaming(userId)).toEqual(expect.arrayContaining(['user', 'userCustomer']))
  const browser = new Browser()
  await browser.json('/api/auth/email-otp/send-verification-otp', { body: { email, type: 'sign-in' } })
  const refused = await browser.call('/api/auth/sign-in/email-otp', { body: { email, otp: await codeFor(email) } })
  expect([refused.status, await refused.json()]).toEqual([409, expect.objectContaining({ code: 'ACCOUNT_BEING_DELETED' })])
  expect(await browser.json('/api/auth/get-session')).toBeNull()
  await runScheduledWork(env, () => systemClock() + lateRowsMs)
  expect(await traces(account)).toEqual([])
  const { userId: nextId } = await signInByCode(new Browser(), email)
  expect(nextId).not.toBe(userId)
})

test('one deletion that cannot be finished does not delay the others', async () => {
  const [stuck, other] = [await fullAccount(), await fullAccount()]
  const isStuck = (key: string | readonly string[]) => [key].flat().some((name) => name.includes(stuck.fileId))
  const files = { delete: async (keys: string[]) => (isStuck(keys) ? Promise.reject(new Error('R2 failed')) : env.FILES?.delete(keys)) }
  const broken: Env = { ...env, FILES: files as never }
  await deleteAccount(broken, settings, stuck.userId)
  const killed = killedAt(3)
  await deleteAccount(killed.env, settings, other.userId)
  await finishDeletions(broken, settings, Date.now())
  expect(await traces(other)).toEqual([])
  expect(await tablesNaming(stuck.userId)).toContain('attachment')
  await finishDeletions(env, settings, Date.now())
  expect(await traces(stuck)).toEqual([])
})
