// What the objects hear that write the answers of a simulated world; who ends them, and how, the writers choose.
import type { GenerationCalls } from '../../../worker/contract/turn.ts'
import type { Life } from '../../support/node-object/life-timers.ts'
import type { World } from './world.ts'

/** `writer` is the name under which the object of a person, in this life of it, reaches one of them. */
export function generationsOf(world: World, writer: string, life: Life): GenerationCalls {
  const call = (id: string, userId: string, isStopped: boolean, isFirst = false) => {
    if (world.d1.all('select 1 from generation where id = ? and writer is not ?', id, writer).length > 0) world.misdirected.push(id)
    if (isFirst) world.firstOrders.push(id)
    if (!world.isHealed && world.rng.chance(0.15)) throw new Error('the generation did not answer')
    if (life.isOver) return
    const known = world.generations.get(id)
    if (known) known.isStopped ||= isStopped
    else world.generations.set(id, { userId, isStopped })
  }
  return {
    ensure: async ({ generationId, userId, isFirst }) => call(generationId, userId, false, isFirst),
    stop: async (id, userId) => call(id, userId, true),
    // One that never heard of its turn ends it, as any other ends.
    recover: async (id, userId) => call(id, userId, false),
  }
}
