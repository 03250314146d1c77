// What generations are told, from rows alone. Rules: worker/sync/SPEC.md, T.

import { describe, expect, test } from 'vitest'
import { deletedTurnMs } from '../../../../worker/contract/limits.ts'
import type { FeedChange } from '../../../../worker/db/feed.ts'
import type { ReservedTurn } from '../../../../worker/db/turns.ts'
import type { Change, Engine } from '../../../../worker/sync/engine/types.ts'
import { Overlay } from '../../../../worker/sync/push/overlay.ts'
import { syncedTables } from '../../../../worker/sync/synced-tables.ts'
import { turnOrder } from '../../../../worker/sync/turn-order.ts'
import { firstOrders, threadsInFlight, turnCalls } from '../../../../worker/sync/turns/turn-calls.ts'
import { answered, person, replicaOf, rowsOf, said, userId } from '../replica.ts'

const readOf = (engine: Engine) => new Overlay(engine, syncedTables)

const turn: ReservedTurn = {
  generationId: 'answer-new',
  threadId: 'thread-one',
  parentId: 'q2',
  modelId: 'kimi-k2',
  mode: 'chat',
  continueId: null,
  effort: 'high',
  queuedId: null,
  credits: 3,
  writer: userId,
}

/** q1 ─ a1 ─ q2, with a1b and q2b beside the path. */
const conversation = [said('q1', null), answered('a1', 'q1'), answered('a1b', 'q1'), said('q2', 'a1'), said('q2b', 'a1')] as const

describe('[T1] an order', () => {
  test('has the path to the question, the model and the person, and nothing beside the path', () => {
    const engine = replicaOf(...person, ['thread', { status: 'submitted', streamId: 'answer-new' }], ...conversation)
    const order = turnOrder(readOf(engine), userId, turn)
    expect(order?.history.map(({ id }) => id)).toEqual(['q1', 'a1', 'q2'])
    expect(order).toMatchObject({
      generationId: 'answer-new',
      userId,
      threadId: 'thread-one',
      parentId: 'q2',
      // The catalogue says 2 by now; 3 were reserved.
      model: { id: 'kimi-k2', credits: 3 },
      effort: 'high',
      untitled: true,
      person: { name: 'Ada', nickname: 'A', biography: null, instructions: 'Be brief.' },
    })
    expect(order).not.toHaveProperty('continued')
  })

  test('continues an interrupted answer with its parts, which are not part of the path', () => {
    const engine = replicaOf(...person, ['thread', { title: 'Named' }], said('q1', null), answered('a1', 'q1', 'Half a'))
    const order = turnOrder(readOf(engine), userId, { ...turn, parentId: 'q1', continueId: 'a1' })
    expect(order?.history.map(({ id }) => id)).toEqual(['q1'])
    expect(order?.continued).toEqual([{ type: 'text', text: 'Half a', state: 'done' }])
    expect(order?.untitled).toBe(false)
  })

  test('has the end of a conversation that is larger than a call between objects, and always its question', () => {
    const long = 'x'.repeat(5_000_000)
    const engine = replicaOf(
      ...person,
      ['thread'],
      said('q1', null),
      answered('a1', 'q1', long),
      said('q2', 'a1'),
      answered('a2', 'q2', long),
    )
    const historyOf = (parentId: string) => turnOrder(readOf(engine), userId, { ...turn, parentId })?.history.map(({ id }) => id)
    expect(historyOf('q2')).toEqual(['q1', 'a1', 'q2'])
    expect(historyOf('a2')).toEqual(['q2', 'a2'])
    const huge = replicaOf(...person, ['thread'], said('q1', null), answered('a1', 'q1', long.repeat(2)))
    expect(turnOrder(readOf(huge), userId, { ...turn, parentId: 'a1' })?.history.map(({ id }) => id)).toEqual(['a1'])
  })

  test('starts from what holds together when a thread is broken', () => {
    const circle = replicaOf(...person, ['thread'], said('q1', 'q2'), said('q2', 'q1'))
    expect(turnOrder(readOf(circle), userId, turn)?.history.map(({ id }) => id)).toEqual(['q1', 'q2'])
    const torn = replicaOf(...person, ['thread'], said('q2', 'nowhere'))
    expect(turnOrder(readOf(torn), userId, turn)?.history.map(({ id }) => id)).toEqual(['q2'])
    const foreign = replicaOf(
      ...person,
      ['thread'],
      ['thread', { id: 'thread-two' }],
      ['message', { id: 'x', threadId: 'thread-two' }],
      said('q2', 'x'),
    )
    expect(turnOrder(readOf(foreign), userId, turn)?.history.map(({ id }) => id)).toEqual(['q2'])
  })

  test.each([
    ['its question', turn, person],
    ['its model', { ...turn, modelId: 'gone' }, [...person, ...conversation]],
    ['its person', turn, [['model'] as const, ...conversation]],
  ])('is impossible without %s', (_what, wanted, rows) => {
    expect(turnOrder(readOf(replicaOf(...rows, ['thread'])), userId, wanted)).toBeNull()
  })
})

describe('[T1] calls', () => {
  const called = (thread: object, turns: readonly ReservedTurn[] = [turn], rows = [...person, ...conversation]) => {
    const engine = replicaOf(...rows, ['thread', { streamId: 'answer-new', ...thread }])
    return turnCalls(readOf(engine), userId, threadsInFlight(engine, turns), turns).map(
      ({ type, generationId }) => `${type} ${generationId}`,
    )
  }

  test.each([
    ['a thread that waits is ensured', { status: 'submitted' }, [turn], ['ensure answer-new']],
    ['one that is stopping is stopped', { status: 'stopping' }, [turn], ['stop answer-new']],
    ['one that was deleted meanwhile too', { status: 'stopping', deletedAt: 5 }, [turn], ['stop answer-new']],
    [
      'one that was deleted goes on while that can be undone',
      { status: 'submitted', deletedAt: Date.now() },
      [turn],
      ['ensure answer-new'],
    ],
    ['and is stopped afterwards', { status: 'submitted', deletedAt: Date.now() - deletedTurnMs }, [turn], ['stop answer-new']],
    ['a ready one is left alone', { status: 'ready' }, [turn], []],
    ['an ended turn is left alone', { status: 'submitted' }, [], []],
    ['the turn of another thread is not taken for it', { status: 'submitted', streamId: 'another' }, [turn], []],
  ] as const)('%s', (_what, thread, turns, calls) => {
    expect(called(thread, turns)).toEqual(calls)
  })

  test('a turn that cannot be ordered any more ends, so that its thread does not wait for ever', () => {
    expect(called({ status: 'submitted' }, [turn], [...person])).toEqual(['stop answer-new'])
  })

  test('a turn whose model left the catalogue fails of that, unless its person stopped it', () => {
    const gone = [{ ...turn, modelId: 'gone' }]
    expect(called({ status: 'submitted' }, gone)).toEqual(['fail answer-new'])
    expect(called({ status: 'stopping' }, gone)).toEqual(['stop answer-new'])
  })
})

describe('[T1] first orders', () => {
  const waiting = { status: 'submitted', streamId: 'answer-new' }
  const ordered = (engine: Engine, changes: readonly Change[], openTurns = [turn], known: readonly ReservedTurn[] = []) =>
    // A feed's rows are the engine's.
    firstOrders(engine, userId, { changes: changes as readonly FeedChange[], openTurns }, known).map((call) =>
      call.type === 'ensure' ? call.order : call.type,
    )

  test('are read from the answer of the batch over the replica, of which nothing is written', () => {
    const engine = replicaOf(...person, ['thread'], said('q1', null), answered('a1', 'q1'))
    const [order] = ordered(
      engine,
      rowsOf(said('q2', 'a1'), ['thread', waiting], ['setting', { userId, nickname: 'Countess', instructions: null }]),
    )
    expect(order).toMatchObject({
      generationId: 'answer-new',
      history: [{ id: 'q1' }, { id: 'a1' }, { id: 'q2' }],
      person: { nickname: 'Countess', instructions: null },
    })
    expect(engine.get('message', { id: 'q2' })).toBeUndefined()
  })

  test('of a thread that is new altogether', () => {
    const orders = ordered(replicaOf(...person), rowsOf(['thread', waiting], said('q2', null)))
    expect(orders).toMatchObject([{ generationId: 'answer-new', history: [{ id: 'q2' }] }])
  })

  test('do not read what the answer says is gone', () => {
    const engine = replicaOf(...person, ['thread'], said('q2', null))
    expect(ordered(engine, [...rowsOf(['thread', waiting]), { table: 'setting', id: { id: userId }, row: null }])).toMatchObject([
      { person: { nickname: undefined } },
    ])
  })

  test.each([
    ['a turn that was open before has had its own', waiting, [turn], [turn]],
    ['a thread that is stopping is told with the others', { ...waiting, status: 'stopping' }, [turn], []],
    ['a turn that has ended already needs none', waiting, [], []],
    ['one that cannot be ordered is told to stop with the others', waiting, [{ ...turn, modelId: 'gone' }], []],
  ])('%s', (_what, thread, openTurns, known) => {
    const engine = replicaOf(...person, ['thread'], said('q2', null))
    expect(ordered(engine, rowsOf(['thread', thread]), openTurns, known)).toEqual([])
  })
})
