// The whole object in random worlds: several users and browsers, every step is its own event, D1 fails before and after its commit, and the
// object is evicted or dies between any two events. SEED and EVENTS replay one, SEEDS sets the number. Rules: worker/sync/SPEC.md.
import { expect, test } from 'vitest'
import { silenceLogs } from '../../support/silence-logs.ts'
import { type Counts, runHistory } from './history.ts'
import { regressionSeeds } from './regression-seeds.ts'

const isLong = Boolean(process.env.PARLEY_LONG)
const events = Number(process.env.EVENTS ?? (isLong ? 300 : 120))
const firstSeed = Number(process.env.SEED ?? 1)
const seeds = Number(process.env.SEEDS ?? (process.env.SEED !== undefined ? 1 : isLong ? 10_000 : 30))

/** For a machine under load. */
const timeout = (isLong ? 180 : 10) * 60_000

// The object logs every fault that it handles.
silenceLogs()

test.each(regressionSeeds)('regression: $what (seed $seed, $events events)', async ({ seed, events: count, options }) => {
  await runHistory(seed, count, options)
})

test(`[K2] [P2] ${seeds} random histories of ${events} events end with the rows of the database, each mutation applied once`, {
  timeout,
}, async () => {
  const total: Counts = { events: 0, mutations: 0, deaths: 0, faults: 0 }
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
    const counts = await runHistory(seed, events)
    for (const name of Object.keys(total) as (keyof Counts)[]) total[name] += counts[name]
  }
  // The random events must contain mutations, deaths and faults.
  expect(total.mutations).toBeGreaterThan(seeds * 5)
  expect(total.deaths).toBeGreaterThanOrEqual(Math.floor(seeds / 2))
  expect(total.faults).toBeGreaterThanOrEqual(Math.floor(seeds / 2))
})

test.each([
  ['[F3] users with more rows than a page', { messages: 450 }],
  ['[F4] a database that is restored to a backup', { isRestored: true }],
  ['[R1] [R4] users who write faster than the limit', { isBusy: true }],
  ['[X2] a storage that fails', { isSpoiled: true }],
  ['[A9] an organization that users join and leave', { hasOrganizations: true }],
  ['[A5] a D1 that answers late or never', { isSilent: true }],
] as const)('random histories: %s', { timeout }, async (_what, options) => {
  const worlds = Math.ceil(seeds / 10)
  for (let seed = firstSeed; seed < firstSeed + worlds; seed++) await runHistory(seed, 120, options)
})
