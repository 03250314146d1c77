// The commands that the generations of a simulated world receive. The writers choose who ends a generation, and how.
import type { GenerationCalls } from '../../../worker/contract/threads/turn.ts'
import type { Life } from '../../support/node-object/life-timers.ts'
import type { World } from './world.ts'

let objects = 0

/** The generations as the current instance of a user's object reaches them. */
export const generationsOf = (world: World, life: Life) => ({
  newUniqueId: () => `object-${++objects}`,
  idFromString: (id: string) => id,
  get: (objectId: string) => generation(world, objectId, life),
})

function generation(world: World, objectId: string, life: Life): GenerationCalls {
  const call = (id: string, userId: string, isStopped: boolean) => {
    if (world.d1.all('select 1 from generation where id = ? and objectId is not ?', id, objectId).length > 0) world.misdirected.push(id)
    if (!world.isHealed && world.rng.chance(0.15)) throw new Error('the generation did not answer')
    if (life.isOver) return
    const known = world.generations.get(id)
    if (known) known.isStopped ||= isStopped
    else world.generations.set(id, { userId, isStopped })
  }
  return {
    start: async ({ generationId, userId }) => call(generationId, userId, false),
    stop: async (id, userId) => call(id, userId, true),
    // A generation without its start command ends the turn like any other.
    recover: async (id, userId) => call(id, userId, false),
  }
}
