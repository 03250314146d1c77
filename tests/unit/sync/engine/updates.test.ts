// Which changed rows are sent as updates. Rules: worker/sync/SPEC.md, E20.
import { describe, expect, test } from 'vitest'
import type { Change } from '../../../../worker/sync/engine/types.ts'
import { deltaOf } from '../../../support/delta-of.ts'
import { addQuery, buildEngine, deleted, opsOf, putMessage, putThread, z } from './build.ts'

const mine = z.thread.where('userId', 'me')
const withMessages = mine.related('messages')

/** The ops that a current client receives for one step. */
function opsFor(query: unknown, before: readonly Change[], changes: readonly Change[]): readonly string[] {
  const { engine } = buildEngine()
  engine.load(before)
  addQuery(engine, 'q', query)
  const { version } = deltaOf(engine, 'g', null)
  engine.apply(changes)
  return opsOf(deltaOf(engine, 'g', version))
}

describe('[E20] a row that the client certainly holds is sent as an update', () => {
  test.each([
    ['a row of its own', mine, [putThread('t1')], [putThread('t1', { title: 'new' })], ['~thread/t1 title']],
    [
      'written twice',
      mine,
      [putThread('t1')],
      [putThread('t1', { rank: 1 }), putThread('t1', { title: 'n', rank: 1 })],
      ['~thread/t1 rank title'],
    ],
    [
      'below a row that stayed',
      withMessages,
      [putThread('t1'), putMessage('m1')],
      [putMessage('m1', { text: 'new' })],
      ['~message/m1 text'],
    ],
    [
      'below a row whose change no query reads',
      withMessages,
      [putThread('t1'), putMessage('m1')],
      [putMessage('m1', { text: 'new' }), putThread('t1', { title: 'new' })],
      ['~message/m1 text', '~thread/t1 title'],
    ],
  ])('%s', (_what, query, before, changes, ops) => {
    expect(opsFor(query, before, changes)).toEqual(ops)
  })

  test('as JSON: the id and the written columns', () => {
    const { engine } = buildEngine()
    engine.load([putThread('t1')])
    addQuery(engine, 'q', mine)
    const { version } = deltaOf(engine, 'g', null)
    engine.apply([putThread('t1', { fixed: true, meta: { a: ['"'] } })])
    const [text] = engine.stream('g', version).rows
    expect(text).toBe('{"op":"update","tableName":"thread","id":{"id":"t1"},"merge":{"fixed":true,"meta":{"a":["\\""]}}}')
  })
})

describe('[E20] other rows are sent whole', () => {
  const window = mine.orderBy('rank', 'asc').limit(1)
  test.each([
    ['it is new', mine, [], [putThread('t1')], ['+thread/t1']],
    [
      'it was another one under this id',
      mine,
      [putThread('t1')],
      [deleted(putThread('t1')), putThread('t1', { title: 'new' })],
      ['+thread/t1'],
    ],
    ['it enters', mine, [putThread('t1', { userId: 'you' })], [putThread('t1', { title: 'new' })], ['+thread/t1']],
    [
      'a row above it enters',
      withMessages,
      [putThread('t1', { userId: 'you' }), putMessage('m1')],
      [putThread('t1'), putMessage('m1', { text: 'new' })],
      ['+message/m1', '+thread/t1'],
    ],
    [
      'it moves below another row',
      withMessages,
      [putThread('t1'), putThread('t2'), putMessage('m1')],
      [putMessage('m1', { threadId: 't2' })],
      ['+message/m1'],
    ],
    [
      'it enters a window',
      window,
      [1, 2, 3, 4, 5, 6, 7].map((rank) => putThread(`t${rank}`, { rank })),
      [putThread('t7', { rank: 0 })],
      ['+thread/t7'],
    ],
    [
      'its EXISTS comes true with it',
      mine.whereExists('messages', (q) => q.where('role', 'tool')),
      [putThread('t1'), putMessage('m1')],
      [putMessage('m1', { role: 'tool' }), putThread('t1', { title: 'new' })],
      ['+message/m1', '+thread/t1'],
    ],
  ])('when %s', (_what, query, before, changes, ops) => {
    expect(opsFor(query, before, changes)).toEqual(ops)
  })

  test('when it was deleted, inserted and updated', () => {
    const again = [deleted(putThread('t1')), putThread('t1', { title: 'new', rank: 5 }), putThread('t1', { title: 'newer', rank: 5 })]
    expect(opsFor(mine, [putThread('t1')], again)).toEqual(['+thread/t1'])
  })

  const ranked = [1, 2, 3, 4, 5, 6, 7, 8].map((rank) => putThread(`t${rank}`, { rank }))
  const allButTheLast = ranked.slice(0, -1).map(deleted)

  test('when the bound above it moved', () => {
    const below = putMessage('m8', { threadId: 't8' })
    const changes = [...allButTheLast, putMessage('m8', { threadId: 't8', text: 'new' })]
    const ops = opsFor(window.related('messages'), [...ranked, below], changes)
    expect(ops.filter((op) => !op.startsWith('-'))).toEqual(['+message/m8', '+thread/t8'])
  })

  test('when the old bound is not stored any more', () => {
    const { engine } = buildEngine({ boundHistory: 1 })
    engine.load(ranked)
    addQuery(engine, 'q', window)
    const { version } = deltaOf(engine, 'g', null)
    engine.apply([...allButTheLast, putThread('t8', { rank: 8, title: 'new' })])
    expect(opsOf(deltaOf(engine, 'g', version))).toContain('+thread/t8')
  })

  test('when the client was offline or the object restarted', () => {
    const { engine } = buildEngine()
    engine.load([putThread('t1')])
    addQuery(engine, 'q', mine)
    const { version } = deltaOf(engine, 'g', null)
    engine.apply([putThread('t1', { title: 'new' })])
    engine.reset()
    expect(opsOf(deltaOf(engine, 'g', version))).toEqual(['+thread/t1'])
  })

  test('when the query is new to the client', () => {
    const { engine } = buildEngine()
    engine.load([putThread('t1')])
    const { version } = deltaOf(engine, 'g', null)
    addQuery(engine, 'q', mine)
    engine.apply([putThread('t1', { title: 'new' })])
    expect(opsOf(deltaOf(engine, 'g', version))).toEqual(['+thread/t1'])
  })
})
