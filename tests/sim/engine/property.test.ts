// The engine's promise, tested on random histories: after every sync a client holds exactly what its queries cover, as it is
// now, and sees what the truth shows. HISTORIES and STEPS set the amount, SEED the first seed (and one history by default).
import { expect, test } from 'vitest'
import { createEngine } from '../../../worker/sync/engine/engine.ts'
import { runHistory } from './history.ts'
import { pinnedShapes, shapes } from './shapes.ts'
import { evaluateWithZero } from './zql-oracle.ts'

const isLong = Boolean(process.env.PARLEY_LONG)
const firstSeed = Number(process.env.SEED ?? 1)
const histories = Number(process.env.HISTORIES ?? (process.env.SEED !== undefined ? 1 : isLong ? 3000 : 1000))
const steps = Number(process.env.STEPS ?? (isLong ? 250 : 60))

test.each([
  ['every form', shapes, histories],
  ['pinned queries', pinnedShapes, Math.ceil(histories / 2)],
] as const)(`[E1-E9] [E21] histories of %s, of ${steps} steps, keep every client exact`, (_name, forms, count) => {
  const total = { syncs: 0, changes: 0 }
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    // One seed in ten is judged by Zero's own engine as well.
    const { syncs, changes } = runHistory(seed, steps, createEngine, seed % 10 === 0 ? evaluateWithZero : null, forms)
    total.syncs += syncs
    total.changes += changes
  }
  expect(Object.keys(shapes).length).toBeGreaterThanOrEqual(17)
  expect(total.syncs).toBeGreaterThan(count)
  expect(total.changes).toBeGreaterThan(count)
})
