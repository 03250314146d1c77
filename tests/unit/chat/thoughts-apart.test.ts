// Thoughts that a server passes on as the beginning of the text: reasoning, however the letters are cut; anything else stays as it came.
import { describe, expect, test } from 'vitest'
import { thoughtsApart, type Unmarked } from '../../../worker/chat/models/thoughts-apart.ts'
import type { ProsePart } from '../../../worker/chat/models/vendor-model.ts'

const pieces = (text: string, size: number): string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size))

const block = (deltas: readonly string[]): ProsePart[] => [
  { type: 'text-start', id: 't' },
  ...deltas.map((delta) => ({ type: 'text-delta' as const, id: 't', delta })),
  { type: 'text-end', id: 't' },
]

/** `ends`: null for a connection that is gone before its vendor says why. */
function told(parts: readonly ProsePart[], isUnmarked = false, ends: string | null = 'stop'): ProsePart[] {
  return toldOf(parts, isUnmarked ? { isExpected: true, learn: () => undefined } : null, ends)
}

function toldOf(parts: readonly ProsePart[], server: Unmarked | null, ends: string | null = 'stop'): ProsePart[] {
  const heard: ProsePart[] = []
  const { prose, finished } = thoughtsApart((part) => heard.push(part), server)
  for (const part of parts) prose(part)
  if (ends !== null) finished(ends)
  return heard
}

/** What was thought and what was said; every block that is open is ended, once. */
function sides(parts: readonly ProsePart[]) {
  const side = (kind: 'reasoning' | 'text') =>
    parts.flatMap((part) => (part.type === `${kind}-delta` && 'delta' in part ? [part.delta] : [])).join('')
  const count = (type: string) => parts.filter((part) => part.type === type).length
  for (const kind of ['reasoning', 'text']) expect(count(`${kind}-start`)).toBe(count(`${kind}-end`))
  return { thought: side('reasoning'), said: side('text') }
}

describe.each([1, 2, 3, 5, 100])('in pieces of %i', (size) => {
  test.each([
    ['<think>hm, a < b</think>\n\nHello', 'hm, a < b', 'Hello'],
    [' \n<think>\nhm </thin> </think>Hello', '\nhm </thin> ', 'Hello'],
    ['<think></think>\n\nHello', '', 'Hello'],
    ['<think>never done </th', 'never done </th', ''],
    ['Use <think>hm</think> as a mark', '', 'Use <think>hm</think> as a mark'],
    ['<think>hm</think>Say <think>this</think>', 'hm', 'Say <think>this</think>'],
    ['<thin', '', '<thin'],
    ['  <p>', '', '  <p>'],
    ['\n\n', '', '\n\n'],
    ['', '', ''],
  ])('%j', (text, thought, said) => {
    expect(sides(told(block(pieces(text, size))))).toEqual({ thought, said })
  })

  test.each([
    ['hm, a < b\n</think>\n\nHello', 'hm, a < b\n', 'Hello'],
    ['</think>Hello </think>', '', 'Hello </think>'],
    ['<think>hm</think>\n\nHello', 'hm', 'Hello'],
    ['<think>never done', 'never done', ''],
    // No thoughts were there, after all.
    [' Hello </thin', ' Hello </thin', ' Hello </thin'],
    ['<thin', '', '<thin'],
    ['', '', ''],
  ])('of a model whose opening mark is in its prompt: %j', (text, thought, said) => {
    expect(sides(told(block(pieces(text, size)), true))).toEqual({ thought, said })
  })
})

test.each(['length', 'tool-calls', 'content-filter', 'error', null])('thoughts that are cut off (%s) are no answer', (ends) => {
  expect(sides(told(block(['Okay, the ', 'user wants']), true, ends))).toEqual({ thought: 'Okay, the user wants', said: '' })
  expect(sides(told(block(['Okay</think>Hello']), true, ends))).toEqual({ thought: 'Okay', said: 'Hello' })
})

test('no word waits that cannot be the mark', () => {
  const heard: ProsePart[] = []
  const { prose: tell } = thoughtsApart((part) => heard.push(part))
  tell({ type: 'text-start', id: 't' })
  tell({ type: 'text-delta', id: 't', delta: '<' })
  expect(heard).toEqual([])
  tell({ type: 'text-delta', id: 't', delta: 'b' })
  expect(heard.map((part) => ('delta' in part ? part.delta : part.type))).toEqual(['text-start', '<', 'b'])
  tell({ type: 'text-delta', id: 't', delta: '<' })
  expect(heard).toHaveLength(4)
})

test('a model whose thoughts come as such may say the mark', () => {
  const thoughts: ProsePart[] = [
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'hm' },
    { type: 'reasoning-end', id: 'r' },
  ]
  for (const isUnmarked of [false, true])
    expect(sides(told([...thoughts, ...block(['<think>', 'so</think>'])], isUnmarked))).toEqual({
      thought: 'hm',
      said: '<think>so</think>',
    })
})

describe.each([1, 5, 100])('in pieces of %i, what is learned of a server', (size) => {
  const learnedOf = (text: string, isExpected: boolean, ends: string | null = 'stop') => {
    const learned: boolean[] = []
    const parts = toldOf(block(pieces(text, size)), { isExpected, learn: (isMarked) => learned.push(isMarked) }, ends)
    return { learned, ...sides(parts) }
  }

  test('that a mark came, or none in a whole answer', () => {
    expect(learnedOf('hm</think>Hello', true)).toEqual({ learned: [true], thought: 'hm', said: 'Hello' })
    expect(learnedOf('<think>hm</think>Hello', true).learned).toEqual([true])
    expect(learnedOf('Hello', true).learned).toEqual([false])
    for (const ends of ['length', null]) expect(learnedOf('Hello', true, ends).learned).toEqual([])
  })

  test('where none is expected, text is text from its first word, and a mark that comes is heard of once', () => {
    expect(learnedOf('Hello', false)).toEqual({ learned: [], thought: '', said: 'Hello' })
    expect(learnedOf('hm</think>Hello </think>', false)).toEqual({ learned: [true], thought: '', said: 'hm</think>Hello </think>' })
    expect(learnedOf('<think>hm</think>Hello', false)).toEqual({ learned: [true], thought: 'hm', said: 'Hello' })
  })
})
