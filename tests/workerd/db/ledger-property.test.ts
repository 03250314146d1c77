// [property] usage is a projection of the ledger: after any history of reserving, settling and releasing, over days and with late endings,
// usage.credits and usage.search are the ledger's sums for usage.day, and no day's reservations ever exceeded a limit.
import { describe, expect, test } from 'vitest'
import { classifyD1Error } from '../../../worker/db/errors.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { ensureUserRows } from '../../../worker/db/user-rows.ts'
import { createRng } from '../../support/rng.ts'
import { insert, ledgerRow } from '../../support/rows.ts'
import { env } from '../bindings.ts'

const { DB } = env
const dailyLimit = 20
const searchLimit = 5
const steps = 60

type Usage = { credits: number; day: number; search: number }

async function checkProjection(userId: string, trace: string): Promise<void> {
  const usage = await DB.prepare('select credits, day, search from usage where userId = ?').bind(userId).first<Usage>()
  const sums = await DB.prepare(
    'select day, sum(credits) credits, sum(search) search from creditLedger where userId = ? group by day order by day desc',
  )
    .bind(userId)
    .all<Usage>()
  const newest = sums.results[0]
  if (!newest) return
  expect(usage, trace).toEqual(newest)
  for (const { credits, search } of sums.results) {
    expect(credits, trace).toBeLessThanOrEqual(dailyLimit)
    expect(search, trace).toBeLessThanOrEqual(searchLimit)
  }
}

describe.each([1, 2, 3, 4, 5, 6, 7, 8])('seed %i', (seed) => {
  test('usage = Σ ledger of its day', async () => {
    const rng = createRng(seed)
    const userId = newId()
    const open: { id: string; credits: number; search: number; day: number }[] = []
    const trace: string[] = []
    let day = 20_000
    if (rng.chance(0.5)) await ensureUserRows(DB, userId)
    for (let step = 0; step < steps; step++) {
      if (rng.chance(0.1)) day += 1
      const turn = open.length > 0 && rng.chance(0.5) ? open.splice(rng.below(open.length), 1)[0] : undefined
      if (turn) {
        // Late endings have the day of their reservation.
        const kind = rng.pick(['settle', 'release'] as const)
        await insert(
          DB,
          'creditLedger',
          ledgerRow(userId, turn.id, kind, {
            credits: kind === 'release' ? -turn.credits : 0,
            search: rng.chance(0.5) ? -turn.search : 0,
            day: turn.day,
          }),
        )
        trace.push(`${kind} ${turn.credits} of ${turn.day}`)
      } else {
        const reserved = { id: newId(), credits: 1 + rng.below(4), search: rng.below(2), day: rng.chance(0.1) ? day - 1 : day }
        const row = ledgerRow(userId, reserved.id, 'reserve', { ...reserved, id: `${reserved.id}:reserve`, dailyLimit, searchLimit })
        const outcome = await insert(DB, 'creditLedger', row).then(
          () => 'done',
          (error: unknown) => classifyD1Error(error),
        )
        if (outcome === 'done') open.push(reserved)
        else
          expect(outcome).toMatchObject({ kind: 'guard', code: expect.stringMatching(/credits_exhausted|tool_limit_reached|clock_behind/) })
        trace.push(`reserve ${reserved.credits} of ${reserved.day}: ${JSON.stringify(outcome)}`)
      }
      await checkProjection(userId, trace.join('\n'))
    }
    // A lost projection is rebuilt from the ledger.
    await DB.prepare('delete from usage where userId = ?').bind(userId).run()
    await ensureUserRows(DB, userId)
    await checkProjection(userId, 'after healing')
  })
})

test('the searches of a day survive a reservation of the same day but not one of the next', async () => {
  const userId = newId()
  await insert(DB, 'usage', { id: userId, userId, credits: 0, search: 3, research: 1, day: 20_000 })
  await insert(DB, 'creditLedger', ledgerRow(userId, newId(), 'reserve', { credits: 2 }))
  const read = () => DB.prepare('select credits, search, research, day from usage where userId = ?').bind(userId).first()
  expect(await read()).toEqual({ credits: 2, search: 3, research: 1, day: 20_000 })
  await insert(DB, 'creditLedger', ledgerRow(userId, newId(), 'reserve', { credits: 1, day: 20_001 }))
  expect(await read()).toEqual({ credits: 1, search: 0, research: 0, day: 20_001 })
})

test('a writer that ignores conflicts still counts its writes', async () => {
  const userId = newId()
  await ensureUserRows(DB, userId)
  const { id, ...rest } = ledgerRow(userId, newId(), 'reserve', { credits: 4 })
  const columns = Object.keys({ id, ...rest })
  const statement = DB.prepare(
    `insert or ignore into creditLedger (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  ).bind(id ?? null, ...Object.values(rest))
  await DB.batch([statement, statement])
  expect(await DB.prepare('select credits from usage where userId = ?').bind(userId).first('credits')).toBe(4)
})
