// An address ends where its sentence continues, in any script.
import { expect, test } from 'vitest'
import { ReadingRights } from '../../../../worker/chat/tools/reading-rights.ts'
import { maxMessageChars } from '../../../../worker/contract/limits.ts'

const rightsOf = (text: string) => new ReadingRights([{ id: 'q', role: 'user', parts: [{ type: 'text', text }] }])

const drink = 'https://en.wikipedia.org/wiki/Tea_(drink)'

test.each([
  ['看 https://a.org/x。', 'https://a.org/x'],
  ['看https://a.org/x，好吗', 'https://a.org/x'],
  ['https://a.org/x、https://b.org/y', 'https://b.org/y'],
  ['「https://a.org/x」と', 'https://a.org/x'],
  ['（https://a.org/x）', 'https://a.org/x'],
  ['【https://a.org/x】', 'https://a.org/x'],
  ['https://a.org/x！？', 'https://a.org/x'],
  ['Read https://a.org/x…', 'https://a.org/x'],
  ['https://a.org/x…and go on', 'https://a.org/x'],
  ['« https://a.org/x »', 'https://a.org/x'],
  ['“https://a.org/x”,', 'https://a.org/x'],
  [`See (${drink}).`, drink],
  [`(${drink})`, drink],
  [`[tea](${drink})`, drink],
  [`${drink},`, drink],
  [`(as in ${drink}, second part)`, drink],
  ['（https://zh.wikipedia.org/wiki/茶_（饮料））。', 'https://zh.wikipedia.org/wiki/茶_（饮料）'],
  ['https://ja.wikipedia.org/wiki/モーニング娘。', 'https://ja.wikipedia.org/wiki/モーニング娘。'],
  ['https://en.wikipedia.org/wiki/Murphy’s_law', 'https://en.wikipedia.org/wiki/Murphy’s_law'],
  ["'https://en.wikipedia.org/wiki/Murphy's_law'", "https://en.wikipedia.org/wiki/Murphy's_law"],
  ['**https://a.org/x**', 'https://a.org/x'],
])('%s names %s', (text, address) => {
  expect(rightsOf(text).given(address)).toBe(address)
})

test.each([
  ['https://a.org/x，https://b.org/y', 'https://b.org/'],
  ['https://a.org/x', 'https://a.org/'],
  [drink, 'https://en.wikipedia.org/wiki/Tea'],
])('%s does not name %s', (text, address) => {
  expect(rightsOf(text).given(address)).toBeNull()
})

// Linear: a quadratic reader would take minutes.
test.each(['。', '」', '…', ')', '()', '（', "'", 'https://a.org/x，', 'https://a.org/(x'])(
  'a very long run of %s is read once',
  (sign) => {
    const run = sign.repeat(maxMessageChars / sign.length)
    const rights = rightsOf(`https://b.org/y ${run} https://c.org/z${run} d.org`)
    expect(rights.given('https://b.org/y')).toBe('https://b.org/y')
    expect(rights.given('https://d.org/')).toBe('https://d.org')
  },
)

test('an address with a password may not be read', () => {
  const rights = rightsOf('Read https://ada:secret@a.org/x and https://b.org/y')
  expect(rights.given('https://a.org/x')).toBeNull()
  expect(rights.given('https://ada:secret@a.org/x')).toBeNull()
  expect(rights.given('https://b.org/y')).toBe('https://b.org/y')
})
