/** The stand-ins of development. Only `worker/index.dev.ts` imports them, so a production bundle does not contain them. */
import type { Env } from '../bindings.ts'
import type { StandIns } from '../stand-ins.ts'
import { demoModel } from './demo-model.ts'
import { paymentFetch } from './payments/simulation.ts'
import { notes } from './stand-in-notes.ts'
import { standIn } from './stand-in-search.ts'

/** Chosen: long enough to see the states that a real search shows. */
const searchDelayMs = 350

export const standIns: StandIns = { model: demoModel, search: standIn(searchDelayMs), tools: [notes], paymentFetch }

/** One copy per `env`, because settings are parsed once per object. */
const extended = new WeakMap<Env, Env>()

export function withStandIns(env: Env): Env {
  const cached = extended.get(env) ?? { ...env, STAND_INS: standIns }
  extended.set(env, cached)
  return cached
}
