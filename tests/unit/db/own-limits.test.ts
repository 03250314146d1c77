// The limits of credits that users set, checked where the counts are stored.
import { beforeEach, describe, expect, test } from 'vitest'
import { dayOf, monthStartOf } from '../../../worker/contract/access.ts'
import { linkGuest } from '../../../worker/db/account-linking.ts'
import { classifyD1Error } from '../../../worker/db/errors.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { openTurnStatements } from '../../../worker/db/turns.ts'
import { ensureUserRows } from '../../../worker/db/user-rows.ts'
import { auditFindings } from '../../support/credit-audit.ts'
import { createNodeD1 } from '../../support/node-d1.ts'
import { createRng } from '../../support/rng.ts'
import { insert, ledgerRow, userRow } from '../../support/rows.ts'

/** The last day of a month. */
const lastDay = dayOf(Date.UTC(2026, 10, 30))

let db = createNodeD1()
beforeEach(() => {
  db = createNodeD1()
})

const all = async (text: string) => (await db.prepare(text).all<Record<string, unknown>>()).results

type Limits = { readonly daily: number | null; readonly monthly: number | null }

const setLimits = (userId: string, { daily, monthly }: Limits) =>
  db.prepare('update setting set dailyCreditLimit = ?1, monthlyCreditLimit = ?2 where userId = ?3').bind(daily, monthly, userId).run()

async function newUser(limits: Limits): Promise<string> {
  const userId = newId()
  await insert(db, 'user', userRow({ id: userId }))
  await ensureUserRows(db, userId)
  await setLimits(userId, limits)
  return userId
}

/** Reserves as the product does. Resolves with the id of the turn, or with the code of the guard that refused it. */
async function reserve(userId: string, credits: number, day: number): Promise<{ readonly id: string } | { readonly refused: string }> {
  const id = newId()
  const turn = { generationId: id, threadId: 'thread', parentId: 'question', modelId: 'kimi-k2', mode: 'chat', objectId: 'object' } as const
  const limits = { dailyLimit: 200, research: 0, researchLimit: 15 }
  const statements = openTurnStatements(
    db,
    userId,
    { ...turn, continueId: null, effort: null, queuedId: null },
    { credits, minimum: credits, expected: credits, day, ...limits },
    1,
  )
  try {
    await db.batch(statements)
    return { id }
  } catch (error) {
    const failure = classifyD1Error(error)
    if (failure.kind !== 'guard') throw error
    return { refused: failure.code }
  }
}

const settle = (userId: string, id: string, returned: number, day: number) =>
  insert(db, 'creditLedger', ledgerRow(userId, id, 'settle', { credits: -returned, day }))

describe('10,000 random reservations in parallel', () => {
  test('exceed no limit of a day or of a month', async () => {
    const rng = createRng(39)
    const users = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const limits = { daily: index % 3 === 0 ? null : 1 + rng.below(60), monthly: index % 4 === 0 ? null : 1 + rng.below(300) }
        return { limits, userId: await newUser(limits), day: lastDay - 3 }
      }),
    )
    const refused = new Map<string, number>()
    const run = async () => {
      const user = rng.pick(users)
      // Some clocks are behind, and some turns end after midnight.
      if (rng.chance(0.02)) user.day += 1
      const day = rng.chance(0.02) ? user.day - 1 : user.day
      const credits = rng.below(12)
      const outcome = await reserve(user.userId, credits, day)
      if ('refused' in outcome) return void refused.set(outcome.refused, (refused.get(outcome.refused) ?? 0) + 1)
      if (rng.chance(0.5)) await settle(user.userId, outcome.id, rng.below(credits + 1), day)
    }
    await Promise.all(Array.from({ length: 10_000 }, run))

    const ledger = (await all('select userId, kind, credits, day from creditLedger order by rowid')) as {
      userId: string
      kind: string
      credits: number
      day: number
    }[]
    const sums = new Map<string, number>()
    const add = (key: string, credits: number) => {
      const sum = (sums.get(key) ?? 0) + credits
      sums.set(key, sum)
      return sum
    }
    for (const { userId, kind, credits, day } of ledger) {
      const limits = users.find((user) => user.userId === userId)?.limits
      const ofDay = add(`${userId}:${day}`, credits)
      const ofMonth = add(`${userId}:month:${monthStartOf(day * 86_400_000)}`, credits)
      if (kind !== 'reserve' || credits === 0) continue
      expect(ofDay).toBeLessThanOrEqual(Math.min(200, limits?.daily ?? 200))
      expect(ofMonth).toBeLessThanOrEqual(limits?.monthly ?? Number.POSITIVE_INFINITY)
    }
    expect(ledger.length).toBeGreaterThan(3000)
    for (const code of ['credits_exhausted', 'own_daily_limit_reached', 'own_monthly_limit_reached', 'clock_behind'])
      expect(refused.get(code), code).toBeGreaterThan(10)
    expect(await auditFindings('usage', (queries) => Promise.all(queries.map(all)))).toEqual([])
  })
})

test('the count of a month starts again with the next month, and an ending of the month before does not change it', async () => {
  const userId = await newUser({ daily: null, monthly: 10 })
  const first = await reserve(userId, 8, lastDay)
  expect(await reserve(userId, 3, lastDay)).toEqual({ refused: 'own_monthly_limit_reached' })
  expect(await reserve(userId, 9, lastDay + 1)).toEqual({ id: expect.any(String) })
  if ('id' in first) await settle(userId, first.id, 5, lastDay)
  expect(await all('select day, credits, monthStart, monthCredits from usage')).toEqual([
    { day: lastDay + 1, credits: 9, monthStart: lastDay + 1, monthCredits: 9 },
  ])
  expect(await reserve(userId, 2, lastDay + 1)).toEqual({ refused: 'own_monthly_limit_reached' })
})

test('an ending of an earlier day of the month gives credits back to the month, not to the day', async () => {
  const userId = await newUser({ daily: 5, monthly: 10 })
  const first = await reserve(userId, 5, lastDay - 1)
  await reserve(userId, 5, lastDay)
  if ('id' in first) await settle(userId, first.id, 4, lastDay - 1)
  expect(await all('select credits, monthCredits from usage')).toEqual([{ credits: 5, monthCredits: 6 }])
  expect(await reserve(userId, 1, lastDay)).toEqual({ refused: 'own_daily_limit_reached' })
})

test('a limit below what was used refuses what costs credits, and removing it allows it', async () => {
  const userId = await newUser({ daily: null, monthly: null })
  await reserve(userId, 5, lastDay)
  await setLimits(userId, { daily: 3, monthly: 4 })
  expect(await all('select dailyCreditLimit, monthlyCreditLimit, credits from usage')).toEqual([
    { dailyCreditLimit: 3, monthlyCreditLimit: 4, credits: 5 },
  ])
  expect(await reserve(userId, 1, lastDay)).toEqual({ refused: expect.stringMatching(/^own_/) })
  expect(await reserve(userId, 0, lastDay)).toEqual({ id: expect.any(String) })
  await setLimits(userId, { daily: null, monthly: null })
  expect(await reserve(userId, 1, lastDay)).toEqual({ id: expect.any(String) })
})

test('a lost usage row is rebuilt with its month and limits', async () => {
  const userId = await newUser({ daily: 50, monthly: 100 })
  await reserve(userId, 5, lastDay - 1)
  await reserve(userId, 7, lastDay)
  const before = await all('select * from usage')
  await db.prepare('delete from usage').run()
  await ensureUserRows(db, userId)
  expect(await all('select * from usage')).toEqual(before)
})

describe('a guest that is linked', () => {
  const linked = async (guest: Limits, account: Limits) => {
    const [guestId, accountId] = [await newUser(guest), await newUser(account)]
    await reserve(guestId, 3, lastDay)
    await reserve(accountId, 4, lastDay - 1)
    for (let time = 0; time < 2; time++) await linkGuest({ DB: db }, { guestId, accountId }, 1)
    return all(`select userId = '${accountId}' isAccount, dailyCreditLimit, monthlyCreditLimit, credits, monthCredits from usage`)
  }

  test('adds its credits to the month of the account, which keeps its limits', async () => {
    expect(await linked({ daily: 5, monthly: 50 }, { daily: 9, monthly: null })).toEqual([
      { isAccount: 1, dailyCreditLimit: 9, monthlyCreditLimit: 50, credits: 3, monthCredits: 7 },
    ])
  })

  test('moves to another database although its limit is lower than what it had used before', async () => {
    const env = { DB: db, CONTENT_DB_1: db, CONTENT_DB_2: createNodeD1() }
    const guestId = await newUser({ daily: null, monthly: null })
    const accountId = `${newId()}-2`
    await insert(db, 'user', userRow({ id: accountId }))
    await reserve(guestId, 5, lastDay)
    await setLimits(guestId, { daily: 2, monthly: 2 })
    await linkGuest(env, { guestId, accountId }, 1)
    const { results } = await env.CONTENT_DB_2.prepare('select userId, credits, monthCredits from usage').all()
    expect(results).toEqual([{ userId: accountId, credits: 5, monthCredits: 5 }])
  })
})
