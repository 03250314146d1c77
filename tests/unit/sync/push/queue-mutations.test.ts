// What becomes of a queue that an answer holds when that answer, or another one, is written again. Rule U2 of worker/sync/SPEC.md.
import { describe, expect, test } from 'vitest'
import type { QueueHold } from '../../../../worker/contract/schema.ts'
import { Overlay } from '../../../../worker/sync/push/overlay.ts'
import { runMutation } from '../../../../worker/sync/push/run-mutation.ts'
import { syncedTables } from '../../../../worker/sync/synced-tables.ts'
import { answered, type Given, person, replicaOf, said, userId } from '../replica.ts'

const queued = (id: string, createdAt: number, hold: QueueHold | null): Given => [
  'queuedMessage',
  { id, threadId: 'thread-one', userId, answerId: `answer-of-${id}`, text: 'Hi', modelId: 'kimi-k2', hold, createdAt },
]

/** Two questions. Neither answer was finished. */
const conversation: readonly Given[] = [
  said('question-1', null),
  answered('answer-1', 'question-1'),
  said('question-2', 'answer-1'),
  answered('answer-2', 'question-2'),
]

/** Which queued messages are let go of when this question is answered again. */
async function letGo(parentId: string, headId: string, ...holds: readonly (QueueHold | null)[]): Promise<readonly string[]> {
  const queue = holds.map((hold, index) => queued(`queued-${hold ?? 'free'}`, index + 1, hold))
  const engine = replicaOf(...person, ['thread', { headId }], ...conversation, ...queue)
  const args = [{ threadId: 'thread-one', parentId, answerId: 'answer-again', modelId: 'kimi-k2', at: 1 }]
  const mutation = { type: 'custom' as const, id: 1, clientID: 'c', name: 'threads.answer', args }
  const outcome = await runMutation(new Overlay(engine, syncedTables), mutation, userId, 1_800_000_000_000)
  if (outcome.type !== 'applied') throw outcome.error
  return outcome.writes.flatMap(({ table, row }) => (table === 'queuedMessage' && row.hold === null ? [String(row.id)] : []))
}

describe('[U2] answering again', () => {
  test.each(['interrupted', 'failed', 'stopped'] as const)('lets go of what the answer held that was %s', async (hold) => {
    expect(await letGo('question-2', 'answer-2', hold)).toEqual([`queued-${hold}`])
  })

  test('lets go of nothing that something else holds', async () => {
    expect(await letGo('question-2', 'answer-2', 'interrupted', 'credits_exhausted', 'premium_required', null)).toEqual([
      'queued-interrupted',
    ])
  })

  test('an earlier question, or one whose last answer was deleted, lets go of nothing', async () => {
    expect(await letGo('question-1', 'answer-2', 'interrupted')).toEqual([])
    expect(await letGo('question-2', 'question-2', 'interrupted')).toEqual([])
  })
})
