import { describe, expect, test } from 'vitest'
import { settlesOpen } from '../../../../web/features/shell/swipe.ts'
import { isInputMethodKey, isSend, matches, pageShortcuts } from '../../../../web/lib/shortcuts.ts'

const keys = (key: string, held: Partial<Record<'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey', boolean>> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...held,
})

describe('a shortcut requires exactly its keys', () => {
  const { newThread, help } = pageShortcuts
  test('Control elsewhere, Command on Apple keyboards', () => {
    expect(matches(newThread, keys('O', { ctrlKey: true, shiftKey: true }), false)).toBe(true)
    expect(matches(newThread, keys('O', { metaKey: true, shiftKey: true }), true)).toBe(true)
    expect(matches(newThread, keys('O', { metaKey: true, shiftKey: true }), false)).toBe(false)
    expect(matches(newThread, keys('O', { ctrlKey: true, shiftKey: true }), true)).toBe(false)
  })
  test('a character matches regardless of the modifiers it needs', () => {
    expect(matches(help, keys('?', { shiftKey: true }), false)).toBe(true)
    expect(matches(help, keys('?'), false)).toBe(true)
    expect(matches(help, keys('?', { ctrlKey: true }), false)).toBe(false)
  })
  test('no two shortcuts have the same keys', () => {
    const chords = Object.values(pageShortcuts).map(({ descriptionKey, ...chord }) => JSON.stringify(Object.entries(chord).sort()))
    expect(new Set(chords).size).toBe(chords.length)
  })
  test('an additional or missing modifier is another chord', () => {
    expect(matches(newThread, keys('o', { ctrlKey: true }), false)).toBe(false)
    expect(matches(newThread, keys('o', { ctrlKey: true, shiftKey: true, altKey: true }), false)).toBe(false)
    expect(matches({ key: 'ArrowUp', alt: true }, keys('ArrowUp', { altKey: true }), false)).toBe(true)
    expect(matches({ key: 'ArrowUp', alt: true }, keys('ArrowUp', { altKey: true, ctrlKey: true }), true)).toBe(false)
  })
})

test.each([
  ['a key during a composition', true, 13, true],
  ['the key that ends a composition in Safari', false, 229, true],
  ['Enter without an input method', false, 13, false],
])('%s belongs to the input method: isComposing %s, key code %i, %s', (_, isComposing, keyCode, expected) => {
  expect(isInputMethodKey({ isComposing, keyCode })).toBe(expected)
})

test.each([
  ['Enter', {}, true, false],
  ['Shift+Enter', { shiftKey: true }, false, true],
  ['Ctrl+Enter', { ctrlKey: true }, true, true],
  ['Command+Enter', { metaKey: true }, true, true],
  ['Ctrl+Shift+Enter', { ctrlKey: true, shiftKey: true }, false, false],
  ['Alt+Enter', { altKey: true }, false, false],
])('%s, which is %j, sends: %s; with Enter for a new line: %s', (_, held, sends, sendsSwapped) => {
  expect([isSend(keys('Enter', held), true), isSend(keys('Enter', held), false)]).toEqual([sends, sendsSwapped])
})

test.each([
  ['a slow drag past the middle opens', 0.6, 0.1, true],
  ['a slow drag short of it closes', 0.4, -0.1, false],
  ['a flick open from near the edge', 0.1, 0.8, true],
  ['a flick shut from fully open', 0.95, -0.8, false],
])('%s', (_, share, velocity, expected) => {
  expect(settlesOpen(share, velocity)).toBe(expected)
})
