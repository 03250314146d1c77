import { describe, expect, test } from 'vitest'
import { positionOf } from '../../../web/ui/place.ts'

const viewport = { width: 1000, height: 800 }
const size = { width: 200, height: 100 }
const anchorAt = (left: number, top: number) => ({ left, top, width: 40, height: 20 })

describe('a floating box', () => {
  test.each([
    ['below, starts aligned', anchorAt(300, 300), { side: 'bottom', align: 'start' }, { left: 300, top: 326 }],
    ['below, ends aligned', anchorAt(300, 300), { side: 'bottom', align: 'end' }, { left: 140, top: 326 }],
    ['above, centred', anchorAt(300, 300), { side: 'top', align: 'center' }, { left: 220, top: 194 }],
    ['right of its anchor', anchorAt(300, 300), { side: 'right', align: 'start' }, { left: 346, top: 300 }],
    ['flips up at the bottom edge', anchorAt(300, 770), { side: 'bottom', align: 'start' }, { left: 300, top: 664 }],
    ['flips down at the top edge', anchorAt(300, 10), { side: 'top', align: 'start' }, { left: 300, top: 36 }],
    ['stays inside at the right edge', anchorAt(950, 300), { side: 'bottom', align: 'start' }, { left: 792, top: 326 }],
    ['stays inside at the left edge', anchorAt(2, 300), { side: 'bottom', align: 'end' }, { left: 8, top: 326 }],
  ] as const)('%s', (_, anchor, placement, expected) => {
    expect(positionOf(anchor, size, viewport, placement)).toEqual(expected)
  })

  test('one larger than the window shows its start', () => {
    const { left, top } = positionOf(anchorAt(100, 100), { width: 2000, height: 2000 }, viewport, { side: 'bottom', align: 'center' })
    expect({ left, top }).toEqual({ left: 8, top: 8 })
  })
})
