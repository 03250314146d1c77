// Definitions shared between blocks: the minimum per block, and a limit per answer.
import { expect, test } from 'vitest'
import { emptySplit, splitBlocks } from '../../../../../web/ui/streaming-markdown/blocks.ts'
import { labelsOf, maxPossible, maxPrependedChars, prependedDefinitions } from '../../../../../web/ui/streaming-markdown/definitions.ts'

const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '' && line !== '<!---->')

function lentIn(text: string): readonly (readonly string[])[] {
  const { blocks } = splitBlocks(emptySplit, text)
  const labels = labelsOf(blocks)
  return blocks.map((block) => lines(prependedDefinitions(block, labels)))
}

test('of many adjacent definitions only the used ones are shared', () => {
  expect(lentIn('See [b] and [ C ][c].\n\n[a]: /1\n[b]: /2\n[C]: /3 "Three"')).toEqual([['[b]: /2', '[C]: /3 "Three"'], []])
})

test('an ambiguous definition is shared with its surroundings', () => {
  expect(lentIn('See [b].\n\n[a]: /1\n"of two\nlines"\n[b]: /2')).toEqual([['[a]: /1', '"of two', 'lines"', '[b]: /2'], []])
  expect(lentIn('See [b].\n\n[a]: <x\n[b]: /2')).toEqual([['[a]: <x', '[b]: /2'], []])
})

test('code that looks like a definition is not shared', () => {
  expect(lentIn('    [a]: /code\n\nSee [a].\n\n[a]: /1')).toEqual([['    [a]: /code', '[a]: /1'], ['    [a]: /code', '[a]: /1'], []])
})

test('of equal definitions the first one is shared, and none with its own block', () => {
  expect(lentIn(`[a]: /1\n\n${'[a]: /2\n\n'.repeat(3)}[a]`)).toEqual([[], [], [], [], ['[a]: /1']])
})

test('the total per answer is limited, for any number of blocks', () => {
  const list = Array.from({ length: 500 }, (_, index) => `[label-${index}]: <https://example.com/${index}>`).join('\n')
  const { blocks } = splitBlocks(emptySplit, `${list}\n\n${'See [label-1].\n\n'.repeat(500)}`)
  const labels = labelsOf(blocks)
  const lent = () => blocks.map((block) => prependedDefinitions(block, labels).length)
  const sum = lent().reduce((one, other) => one + other)
  expect(sum).toBeGreaterThan(list.length)
  expect(sum).toBeLessThanOrEqual(maxPrependedChars)
  // Rendered again, each block gets the same.
  expect(lent().reduce((one, other) => one + other)).toBe(sum)
  expect(lent().slice(1, 3)).toEqual([lent()[1], lent()[1]])
})

// Linear: a quadratic reader would take minutes.
test('a very long row of escaped brackets neither defines nor uses anything', () => {
  const [ofFirst] = lentIn(`See [a]. ${'\\['.repeat(100_000)}\n]: x\n\n[a]: /1`)
  expect(ofFirst?.at(-1)).toBe('[a]: /1')
})

// 84 KB of these froze the page: each block was joined with every other one.
test.each(['[a]: <\n\n', '[a]:\n\n', '[a]: <x [a] [A]\n\n'])(
  '%j repeated costs each block a few definitions, and the text a limited number',
  (unit) => {
    const { blocks } = splitBlocks(emptySplit, unit.repeat(84_000 / unit.length))
    const labels = labelsOf(blocks)
    expect(blocks.length).toBeGreaterThan(4000)
    expect(Math.max(...[...labels.possible.values()].map(({ length }) => length))).toBe(maxPossible)
    const chars = blocks.reduce((sum, block) => sum + prependedDefinitions(block, labels).length, 0)
    expect(chars).toBeLessThanOrEqual(maxPrependedChars + 84_000)
  },
)

test('a block that repeats a label shares and uses it once', () => {
  const { blocks } = splitBlocks(emptySplit, `${'[a]: <\n'.repeat(900)}\n${'[a] '.repeat(900)}`)
  const { possible } = labelsOf(blocks)
  expect(possible.get('A')).toHaveLength(1)
})

test('a block that is too large to parse defines nothing', () => {
  const { blocks } = splitBlocks(emptySplit, `${'[a]: <\n'.repeat(12_000)}\nSee [a].`)
  const labels = labelsOf(blocks)
  expect([labels.possible.size, blocks.map((block) => prependedDefinitions(block, labels))]).toEqual([0, blocks.map(() => '')])
})
