/** Runs histories by seed. A failure contains the seed, the step and every event before it. */
import type { createEngine } from '../../../worker/sync/engine/engine.ts'
import { createNodeSql } from '../../support/node-sql.ts'
import type { Oracle } from './checks.ts'
import { type Shapes, shapes } from './shapes.ts'
import { createWorld } from './world.ts'

export type HistoryCounts = { syncs: number; changes: number }

/** One database for all histories: each starts with empty tables and prepared statements. */
const sql = createNodeSql()

export function runHistory(
  seed: number,
  steps: number,
  create: typeof createEngine,
  oracle: Oracle | null,
  forms: Shapes = shapes,
): HistoryCounts {
  const world = createWorld(seed, sql, create, oracle, forms)
  for (let step = 0; step < steps; step++) {
    try {
      world.step()
    } catch (cause) {
      const replay = `SEED=${seed} STEPS=${steps} vitest run tests/sim/engine/property.test.ts`
      const events = world.trace.map((event) => `  ${event()}`).join('\n')
      throw new Error(
        `seed ${seed}, step ${step}: ${cause instanceof Error ? cause.message : String(cause)}\nreplay: ${replay}\n${events}`,
        { cause },
      )
    }
  }
  return world.counts
}
