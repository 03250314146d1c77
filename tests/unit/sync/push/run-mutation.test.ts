// Mutations on the server: reads, writes and refusals. Rules: worker/sync/SPEC.md, P3, P7; worker/turns/SPEC.md, T1.

import type { Transaction } from '@rocicorp/zero'
import { describe, expect, test } from 'vitest'
import { dayOf } from '../../../../worker/contract/access.ts'
import { creditsPerDay, storedContentBytes, storedContentRows } from '../../../../worker/contract/limits.ts'
import type { Schema } from '../../../../worker/contract/schema.ts'
import type { Engine, Json } from '../../../../worker/sync/engine/types.ts'
import type { Outcome } from '../../../../worker/sync/pull/source.ts'
import { beginTransaction } from '../../../../worker/sync/push/apply-mutators.ts'
import { mutatorApp } from '../../../../worker/user-sync/config.ts'
import { answered, overlayOf, replicaOf, runNamed, userId, userMessage, userRows } from '../replica.ts'

const nowMs = 1_800_000_000_000

/** Runs mutations one after the other on one overlay, like a batch. */
async function run(engine: Engine, ...mutations: readonly (readonly [name: string, args: Json])[]): Promise<readonly Outcome[]> {
  const overlay = overlayOf(engine)
  const outcomes: Outcome[] = []
  for (const [i, [name, args]] of mutations.entries()) {
    outcomes.push(await runNamed(overlay, name, args, nowMs, i + 1))
  }
  return outcomes
}

const codeOf = (outcome: Outcome | undefined) =>
  outcome?.type === 'refused' ? (outcome.error.details as { code: string } | undefined)?.code : outcome?.type

const send = {
  threadId: 'thread-one',
  messageId: 'message-new',
  answerId: 'answer-new',
  parentId: null,
  modelId: 'kimi-k2',
  text: 'Hello',
  at: 1,
}

describe('[T1] sending a message', () => {
  test("writes thread and message with the server's time, opens the turn and reserves its credits", async () => {
    expect(await run(replicaOf(...userRows), ['threads.send', send])).toEqual([
      {
        type: 'applied',
        writes: [
          {
            kind: 'insert',
            table: 'thread',
            row: {
              id: 'thread-one',
              userId,
              createdAt: nowMs,
              title: 'Hello',
              status: 'submitted',
              streamId: 'answer-new',
              headId: 'message-new',
              updatedAt: nowMs,
              archivedAt: null,
              unreadAt: null,
              compared: null,
            },
          },
          {
            kind: 'insert',
            table: 'message',
            row: {
              id: 'message-new',
              threadId: 'thread-one',
              userId,
              parentId: null,
              message: { id: 'message-new', role: 'user', parts: [{ type: 'text', text: 'Hello' }] },
              createdAt: nowMs,
              updatedAt: nowMs,
            },
          },
        ],
        effects: {
          content: { maxBytes: storedContentBytes.guest, maxRows: storedContentRows.guest, fork: null },
          opened: [
            {
              turn: {
                generationId: 'answer-new',
                threadId: 'thread-one',
                parentId: 'message-new',
                modelId: 'kimi-k2',
                mode: 'chat',
                continueId: null,
                effort: null,
                queuedId: null,
              },
              reservation: {
                ...{ minimum: 2, expected: 2, credits: 2, projectId: null },
                day: dayOf(nowMs),
                dailyLimit: creditsPerDay.guest,
                research: 0,
                researchLimit: 0,
              },
            },
          ],
        },
      },
    ])
  })

  test('counts on the day of the usage row when it is ahead of the clock', async () => {
    const day = dayOf(nowMs) + 1
    const [outcome] = await run(replicaOf(['user'], ['setting'], ['model'], ['usage', { day, credits: 3 }]), ['threads.send', send])
    expect(outcome).toMatchObject({ effects: { opened: [{ reservation: { day } }] } })
  })

  test('an answer with the id of a message is refused', async () => {
    const engine = replicaOf(...userRows, ['thread'], userMessage('taken-id', null))
    expect((await run(engine, ['threads.send', { ...send, answerId: 'taken-id' }])).map(codeOf)).toEqual(['invalid_request'])
    expect((await run(engine, ['threads.send', { ...send, answerId: send.messageId }])).map(codeOf)).toEqual(['invalid_request'])
  })

  test('stores which answer a turn continues', async () => {
    const engine = replicaOf(...userRows, ['thread'], userMessage('question-1', null), answered('answer-old', 'question-1'))
    const args = {
      threadId: 'thread-one',
      parentId: 'question-1',
      answerId: 'answer-new',
      modelId: 'kimi-k2',
      continueId: 'answer-old',
      at: 1,
    }
    const [outcome] = await run(engine, ['threads.answer', args])
    expect(outcome).toMatchObject({
      type: 'applied',
      effects: { opened: [{ turn: { parentId: 'question-1', continueId: 'answer-old' } }] },
    })
  })
})

describe("[P7] mutations of one batch read each other's writes only", () => {
  test('a mutation reads writes of earlier ones', async () => {
    const outcomes = await run(
      replicaOf(...userRows),
      ['threads.send', send],
      ['threads.rename', { threadId: 'thread-one', title: 'Named' }],
      ['threads.send', { ...send, messageId: 'message-two', answerId: 'answer-two' }],
      ['threads.stop', { threadId: 'thread-one' }],
    )
    expect(outcomes.map(codeOf)).toEqual(['applied', 'applied', 'thread_busy', 'applied'])
  })

  test('writes of a refused mutation are discarded', async () => {
    const engine = replicaOf(...userRows, ['thread', { status: 'ready' }])
    const overlay = overlayOf(engine)
    const refused = await runNamed(overlay, 'threads.send', { ...send, modelId: 'none' }, nowMs)
    expect(codeOf(refused)).toBe('no_model')
    expect(overlay.get('thread', 'thread-one')).toMatchObject({ status: 'ready' })
  })

  test('inserting an existing row and updating or deleting a missing one write nothing', async () => {
    const overlay = overlayOf(replicaOf(['thread']))
    const begun = beginTransaction({ overlay, userId, clientID: 'c', mutationID: 1, app: mutatorApp })
    const { writes } = begun
    // The tables are those of the contract.
    const tx = begun.tx as unknown as Transaction<Schema>
    await tx.mutate.thread.insert({ id: 'thread-one', userId, title: 'Another', createdAt: 2, updatedAt: 2 })
    await tx.mutate.thread.update({ id: 'not-there', title: 'Another' })
    await tx.mutate.thread.delete({ id: 'not-there' })
    expect(writes).toEqual([])
    expect(overlay.get('thread', 'thread-one')).toMatchObject({ title: null, createdAt: 1 })
    expect(overlay.get('thread', 'not-there')).toBeUndefined()
  })

  test('a batch does not change the replica', async () => {
    const engine = replicaOf(...userRows)
    const { version } = engine
    await run(engine, ['threads.send', send])
    expect(engine.get('thread', { id: 'thread-one' })).toBeUndefined()
    expect(engine.version).toBe(version)
  })
})

describe('[P3] refusals', () => {
  test.each([
    ['a rule', 'threads.rename', { threadId: 'not-there-1', title: 'x' }, 'not_found'],
    ['the message of a schema', 'threads.send', { ...send, text: 'x'.repeat(100_001) }, 'message_too_long'],
    ['any other schema', 'threads.send', { ...send, threadId: '../etc' }, 'invalid_request'],
    ['no arguments at all', 'threads.rename', null, 'invalid_request'],
    ['an unknown name', 'threads.burn', {}, 'invalid_request'],
    ['a name that every object has', '__proto__', {}, 'invalid_request'],
    ['another one', 'constructor', {}, 'invalid_request'],
    ['a part of a name', 'threads', {}, 'invalid_request'],
  ] as const)('%s', async (_what, name, args, code) => {
    const [outcome] = await run(replicaOf(...userRows), [name, args])
    expect(outcome).toEqual({
      type: 'refused',
      error: { error: 'app', message: code, details: { code } },
    })
  })

  test.each([
    ['no credits left', 0, 'credits_exhausted'],
    ['fewer than it costs', 1, 'credits_short'],
  ] as const)('%s', async (_what, left, code) => {
    const engine = replicaOf(['user'], ['setting'], ['model'], ['usage', { day: dayOf(nowMs), credits: creditsPerDay.guest - left }])
    expect((await run(engine, ['threads.send', send])).map(codeOf)).toEqual([code])
  })
})
