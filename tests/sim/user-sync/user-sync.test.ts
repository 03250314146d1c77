// The whole object in worlds that nobody thought of: several people and browsers, every beat an event of its own, D1 failing before and after
// it has committed, sleep and death between any two events. SEED and EVENTS replay one, SEEDS runs more. Rules: worker/sync/SPEC.md, all.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Counts, runHistory } from './history.ts'
import { regressionSeeds } from './regression-seeds.ts'

const isLong = Boolean(process.env.PARLEY_LONG)
const events = Number(process.env.EVENTS ?? (isLong ? 300 : 120))
const firstSeed = Number(process.env.SEED ?? 1)
const seeds = Number(process.env.SEEDS ?? (process.env.SEED !== undefined ? 1 : isLong ? 10_000 : 120))

/** Of a machine that has a great deal else to do. */
const timeout = (isLong ? 180 : 10) * 60_000

// The object logs every fault that it survives.
beforeEach(() => {
  for (const level of ['info', 'warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => undefined)
})
afterEach(() => {
  vi.restoreAllMocks()
})

test.each(regressionSeeds)('what once failed: $what (seed $seed, $events events)', async ({ seed, events: count, options }) => {
  await runHistory(seed, count, options)
})

test(`[E2] [K2] [P2] [P6] [H1] [H2] ${seeds} worlds of ${events} events come to rest in the record's state`, { timeout }, async () => {
  const total: Counts = { events: 0, mutations: 0, deaths: 0, faults: 0 }
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
    const counts = await runHistory(seed, events)
    for (const name of Object.keys(total) as (keyof Counts)[]) total[name] += counts[name]
  }
  // A simulation in which nothing goes wrong proves nothing.
  expect(total.mutations).toBeGreaterThan(seeds * 5)
  expect(total.deaths).toBeGreaterThanOrEqual(Math.floor(seeds / 2))
  expect(total.faults).toBeGreaterThanOrEqual(Math.floor(seeds / 2))
})

test.each([
  ['[F3] have more rows than a page', { messages: 450 }],
  ['[F4] are set back to a backup', { isRestored: true }],
  ['[R1] [R4] write faster than they may', { isBusy: true }],
  ['[E10] [X2] have a storage that fails', { isSpoiled: true }],
  ['[P6] [X4] have a D1 that says nothing, and does it later or never', { isSilent: true }],
] as const)('worlds that %s', { timeout }, async (_what, options) => {
  const worlds = Math.ceil(seeds / 10)
  for (let seed = firstSeed; seed < firstSeed + worlds; seed++) await runHistory(seed, 120, options)
})
