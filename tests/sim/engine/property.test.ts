// The engine's rules on random histories: after every sync a client holds exactly what its queries cover, with current values. HISTORIES
// and STEPS set the amount, SEED the first seed (and one history by default).
import { expect, test } from 'vitest'
import { createEngine } from '../../../worker/sync/engine/engine.ts'
import { runHistory } from './history.ts'
import { shapes, singleRowShapes, windowShapes } from './shapes.ts'
import { evaluateWithZero } from './zql-oracle.ts'

const isLong = Boolean(process.env.PARLEY_LONG)
const firstSeed = Number(process.env.SEED ?? 1)
const histories = Number(process.env.HISTORIES ?? (process.env.SEED !== undefined ? 1 : isLong ? 3000 : 200))
const steps = Number(process.env.STEPS ?? (isLong ? 250 : 60))

test.each([
  ['every form', shapes, histories],
  ['fixed queries', singleRowShapes, Math.ceil(histories / 2)],
  ['windows of the same rows', windowShapes, Math.ceil(histories / 2)],
] as const)(`[E1] [E2] [E3] [E6] random histories of %s with ${steps} steps keep every client exact`, (_name, forms, count) => {
  const total = { syncs: 0, changes: 0 }
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    // One seed in ten is also checked with Zero's own engine.
    const { syncs, changes } = runHistory(seed, steps, createEngine, seed % 10 === 0 ? evaluateWithZero : null, forms)
    total.syncs += syncs
    total.changes += changes
  }
  expect(Object.keys(shapes).length).toBeGreaterThanOrEqual(17)
  expect(total.syncs).toBeGreaterThan(count)
  expect(total.changes).toBeGreaterThan(count)
})
