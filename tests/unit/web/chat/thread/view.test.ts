import { describe, expect, test } from 'vitest'
import type { ShownMessage } from '../../../../../web/features/chat/message/shown-messages.ts'
import {
  endOf,
  estimatedHeightPx,
  messageHeights,
  type Position,
  spanFor,
  viewOf,
} from '../../../../../web/features/chat/thread/rendered-messages.ts'
import { type Follow, followAfter, isTakenOver, wasMoved } from '../../../../../web/features/chat/thread/user-scroll.ts'
import { question } from '../build.ts'

describe('the rendered messages', () => {
  const heights = Array.from({ length: 100 }, () => 100)

  test('are those in view and the margin, and the rest is space', () => {
    expect(spanFor(heights, { topPx: 5000, heightPx: 800 }, 500)).toEqual({ first: 45, end: 63, beforePx: 4500, afterPx: 3700 })
  })

  test('at the start and at the end', () => {
    expect(spanFor(heights, { topPx: 0, heightPx: 800 }, 500)).toEqual({ first: 0, end: 13, beforePx: 0, afterPx: 8700 })
    expect(spanFor(heights, endOf(heights, 800), 500)).toEqual({ first: 87, end: 100, beforePx: 8700, afterPx: 0 })
  })

  test('have the full height together with the space', () => {
    const uneven = Array.from({ length: 2000 }, (_, index) => 60 + ((index * 37) % 900))
    const total = uneven.reduce((sum, height) => sum + height, 0)
    for (let topPx = 0; topPx < total; topPx += 7919) {
      const { first, end, beforePx, afterPx } = spanFor(uneven, { topPx, heightPx: 900 }, 700)
      const drawn = uneven.slice(first, end).reduce((sum, height) => sum + height, 0)
      expect(beforePx + drawn + afterPx).toBe(total)
      expect(end - first).toBeLessThan(50)
    }
  })

  test('include the last message for a view beyond the end', () => {
    expect(spanFor([100, 100], { topPx: 9000, heightPx: 800 }, 0).end).toBe(2)
    expect(spanFor([], { topPx: 0, heightPx: 800 }, 500)).toEqual({ first: 0, end: 0, beforePx: 0, afterPx: 0 })
  })

  test('longer messages have a higher estimate', () => {
    const heightOf = (text: string) => {
      const { id, message } = question('q', null, text)
      return message.role === 'user'
        ? estimatedHeightPx({
            kind: 'user',
            id,
            parentId: null,
            versions: { ids: [id], at: 0 },
            hasMoreBelow: false,
            isBookmarked: false,
            message,
          })
        : 0
    }
    expect(heightOf('x'.repeat(2000))).toBeGreaterThan(heightOf('x') + 500)
  })
})

describe('following the end', () => {
  const at = (topPx: number, contentPx: number) => ({ topPx, contentPx, heightPx: 800 })
  const following: Follow = { isFollowing: true, topPx: 1200 }
  const reading: Follow = { isFollowing: false, topPx: 700 }

  test.each<[name: string, before: Follow, metrics: ReturnType<typeof at>, isFollowing: boolean]>([
    ['while text grows below', following, at(1200, 2600), true],
    ['when content shrinks and the browser moves it to the end', following, at(1100, 1900), true],
    ['not after the user scrolled up by any distance', following, at(1190, 2000), false],
    ['not while the user reads above the end and text grows', reading, at(700, 2600), false],
    ['not while the user scrolls down above the end', reading, at(900, 2600), false],
    ['again when the user returns to the end', reading, at(1200, 2000), true],
    ['again when the user returns nearly to the end', reading, at(1185, 2000), true],
    ['not because text shrank near the position of the user', reading, at(700, 1520), false],
  ])('%s', (_, before, metrics, isFollowing) => {
    expect(followAfter(before, metrics)).toEqual({ isFollowing, topPx: metrics.topPx })
  })

  test.each<[name: string, before: Follow, metrics: ReturnType<typeof at>, isFollowing: boolean | 'unmoved']>([
    ['keeps the position of a user who scrolled up', following, at(120, 2000), false],
    ['keeps that position when text grew meanwhile', following, at(120, 2600), false],
    ['keeps the position of a reading user who scrolled down', reading, at(900, 2600), false],
    ['follows the end after a reading user scrolled to it', reading, at(1200, 2000), true],
    ['growing text does not count as scrolling', following, at(1200, 2600), 'unmoved'],
    ['growing text does not count as scrolling while the user reads', reading, at(700, 2600), 'unmoved'],
    ['shrinking text does not count as scrolling', following, at(1100, 1900), 'unmoved'],
    ['shrinking text does not start following while the user reads', reading, at(600, 1400), 'unmoved'],
    ['a lower view does not count as scrolling', following, { topPx: 1200, contentPx: 2000, heightPx: 500 }, 'unmoved'],
    ['a higher view does not count as scrolling', following, { topPx: 1000, contentPx: 2000, heightPx: 1000 }, 'unmoved'],
  ])('rendering before the scroll event: %s', (_, before, metrics, isFollowing) => {
    expect(wasMoved(before, metrics) ? followAfter(before, metrics).isFollowing : 'unmoved').toBe(isFollowing)
  })
  test.each<[name: string, before: Follow, metrics: ReturnType<typeof at>, isTaken: boolean]>([
    ['the end moves down', following, at(1800, 2600), false],
    ['the user scrolls up', following, at(900, 2000), true],
    ['the user scrolls down', reading, at(900, 2600), true],
    ['the user scrolls to the end', reading, at(1200, 2000), true],
    ['text grows', reading, at(700, 2600), false],
    ['there is too little text, and the browser moves it to the end', reading, at(600, 1400), false],
  ])('a view on its way to a position: %s', (_, before, metrics, isTaken) => {
    expect(isTakenOver(before, metrics)).toBe(isTaken)
  })
})

describe('the view of a position', () => {
  const shownMessages = ['one', 'two', 'three'].map((id): ShownMessage => ({ kind: 'live', id, parentId: null, isStopping: false }))
  const heights = [1000, 2000, 3000]
  const position: Position = { target: null, topPx: 700, heightPx: 800, anchor: { id: 'two', offsetPx: 100 } }

  test.each<[name: string, change: Partial<Position>, topPx: number]>([
    ['is its message, whatever its pixels are', {}, 900],
    ['is the end of a message that has become shorter', { anchor: { id: 'one', offsetPx: -1500 } }, 1000],
    ['is its pixels without a message', { anchor: null }, 700],
    ['is the end while it follows', { topPx: null }, 5200],
    ['is the target', { topPx: null, target: { id: 'three', offsetPx: 50 } }, 2950],
    ['is the end until the target is loaded', { topPx: null, target: { id: 'four', offsetPx: 50 } }, 5200],
    ['stays at its pixels when its message is deleted', { anchor: { id: 'zero', offsetPx: 0 } }, 700],
  ])('%s', (_name, change, topPx) => {
    expect(viewOf({ ...position, ...change }, heights, shownMessages).topPx).toBe(topPx)
  })
})

describe('heights of messages', () => {
  const one: ShownMessage = { kind: 'live', id: 'one', parentId: 'question', isStopping: false }
  const estimatePx = estimatedHeightPx(one)

  test('are estimates until they are measured', () => {
    const heights = messageHeights()
    expect(heights.heightPx(one)).toBe(estimatePx)
    expect(heights.record(one.id, 700, 321)).toBe(true)
    expect(heights.heightPx(one)).toBe(321)
    expect(heights.record(one.id, 700, 321)).toBe(false)
  })

  test('are measured again at another width', () => {
    const heights = messageHeights()
    heights.record(one.id, 700, 321)
    heights.record('other', 350, 500)
    expect(heights.heightPx(one)).toBe(estimatePx)
  })

  test('stay when the thread is hidden', () => {
    const heights = messageHeights()
    heights.record(one.id, 700, 321)
    expect(heights.record(one.id, 0, 0)).toBe(false)
    expect(heights.heightPx(one)).toBe(321)
  })

  test('stay when a comparison, which is wider, is measured', () => {
    const heights = messageHeights()
    heights.record(one.id, 700, 321)
    expect(heights.record('comparison', null, 500)).toBe(true)
    expect(heights.heightPx(one)).toBe(321)
  })
})
