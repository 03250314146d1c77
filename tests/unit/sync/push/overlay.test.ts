// The replica with the writes of a batch: the same results as if the writes had been applied. Rules: worker/sync/SPEC.md, P7.
import type { AST } from '@rocicorp/zero'
import { asQueryInternals } from '@rocicorp/zero/bindings'
import { describe, expect, test } from 'vitest'
import { schema, zql } from '../../../../worker/contract/schema.ts'
import { Overlay } from '../../../../worker/sync/push/apply-mutators.ts'
import { type Given, replicaOf, userId } from '../replica.ts'

const thread = (id: string, updatedAt: number): Given => ['thread', { id, updatedAt }]
const ids = (overlay: Overlay, { ast }: { readonly ast: AST }) => overlay.run(ast).map(({ id }) => id)
const latest = (limit: number) =>
  asQueryInternals(zql.thread.where('userId', userId).where('deletedAt', 'IS', null).orderBy('updatedAt', 'desc').limit(limit))

const overlayOf = (...given: readonly Given[]) => {
  const engine = replicaOf(...given)
  return { overlay: new Overlay(engine, schema.tables), engine }
}

describe('[P7] reading through writes', () => {
  test('inserted, changed, moved and deleted rows', () => {
    const { overlay, engine } = overlayOf(thread('t1', 1), thread('t2', 2), thread('t3', 3), thread('t4', 4))
    const row = (id: string) => engine.get('thread', { id }) ?? {}
    expect(ids(overlay, latest(2))).toEqual(['t4', 't3'])
    overlay.set('thread', 't1', { ...row('t1'), updatedAt: 9 })
    expect(ids(overlay, latest(2))).toEqual(['t1', 't4'])
    overlay.set('thread', 't4', null)
    expect(ids(overlay, latest(2))).toEqual(['t1', 't3'])
    overlay.set('thread', 't3', { ...row('t3'), deletedAt: 5 })
    expect(ids(overlay, latest(2))).toEqual(['t1', 't2'])
    overlay.set('thread', 't5', { ...row('t2'), id: 't5', updatedAt: 2 })
    expect(ids(overlay, latest(9))).toEqual(['t1', 't2', 't5'])
    expect(overlay.get('thread', 't4')).toBeUndefined()
    expect(overlay.get('thread', 't5')).toMatchObject({ updatedAt: 2 })
    expect(ids(overlay, asQueryInternals(zql.thread.where('id', 't4').one()))).toEqual([])
    expect(engine.get('thread', { id: 't4' })).toBeDefined()
  })

  test('a fork is kept or discarded completely', () => {
    const { overlay } = overlayOf(thread('t1', 1))
    const lost = overlay.fork()
    lost.set('thread', 't1', null)
    expect(ids(overlay, latest(5))).toEqual(['t1'])
    const kept = overlay.fork()
    kept.set('thread', 't1', null)
    overlay.merge(kept)
    expect(ids(overlay, latest(5))).toEqual([])
  })

  test('a condition on another written table throws', () => {
    const { overlay } = overlayOf(thread('t1', 1))
    const asked = [
      zql.thread.whereExists('messages'),
      zql.thread.where('id', 't1').whereExists('messages'),
      zql.thread.where(({ or, cmp, exists }) => or(cmp('id', 't2'), exists('messages'))),
    ].map((query) => asQueryInternals(query))
    for (const withMessages of asked) expect(ids(overlay, withMessages)).toEqual([])
    overlay.set('message', 'm1', null)
    for (const withMessages of asked) expect(() => ids(overlay, withMessages)).toThrow('after writing it')
  })
})
