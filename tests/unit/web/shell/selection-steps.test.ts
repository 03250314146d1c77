import { describe, expect, test } from 'vitest'
import type { Selection } from '../../../../web/features/shell/selection/selection.ts'
import { allSelected, extended, stepped, toggled } from '../../../../web/features/shell/selection/selection-steps.ts'
import { maxSelection } from '../../../../worker/contract/limits.ts'

const order = ['a', 'b', 'c', 'd', 'e']
const of = (ids: readonly string[], anchorId: string | null = ids.at(-1) ?? null, currentId = anchorId ?? ''): Selection => ({
  ids: new Set(ids),
  currentId,
  anchorId,
})
const idsOf = (state: Selection | null) => state && [...state.ids].sort()

test('toggling the last selected thread ends the selection', () => {
  expect(idsOf(toggled(of(['a']), 'c'))).toEqual(['a', 'c'])
  expect(idsOf(toggled(of(['a', 'c']), 'a'))).toEqual(['c'])
  expect(toggled(of(['c']), 'c')).toBeNull()
})

describe('a range', () => {
  test('reaches from the anchor in both directions', () => {
    expect(idsOf(extended(of(['c']), 'e', order))).toEqual(['c', 'd', 'e'])
    expect(idsOf(extended(of(['c']), 'a', order))).toEqual(['a', 'b', 'c'])
  })

  test('replaces the previous range and keeps threads outside of it', () => {
    const wide = extended(of(['a', 'c'], 'c'), 'e', order)
    expect(idsOf(extended(wide, 'd', order))).toEqual(['a', 'c', 'd'])
  })

  test('starts at the pressed thread if the anchor is no longer listed', () => {
    expect(idsOf(extended(of(['a'], 'gone', 'a'), 'd', order))).toEqual(['a', 'd'])
  })
})

test('a selection does not exceed its limit', () => {
  const many = Array.from({ length: maxSelection + 10 }, (_, n) => `t${n}`)
  const all = allSelected(of(['t0']), many)
  expect(all.ids.size).toBe(maxSelection)
  expect(toggled(all, `t${maxSelection}`)?.ids.size).toBe(maxSelection)
  expect(toggled(all, 't0')?.ids.size).toBe(maxSelection - 1)
  const range = extended(of(['t5'], 't5'), `t${maxSelection + 9}`, many)
  expect([...range.ids].slice(0, 2)).toEqual(['t5', 't6'])
  expect(range.ids.size).toBe(maxSelection)
})

test('a step stops at the ends of the list', () => {
  expect(stepped(order, 'a', 1)).toBe('b')
  expect(stepped(order, 'a', -1)).toBe('a')
  expect(stepped(order, 'e', 1)).toBe('e')
})
