/** The names that open a list in the composer, and the variables of prompts. */
import { describe, expect, test } from 'vitest'
import { commandIn, triggerAt } from '../../../../../web/features/chat/composer/text-tools/insert-options.tsx'
import {
  completeVariable,
  nextVariable,
  placeholderOf,
  variablesIn,
} from '../../../../../web/features/chat/composer/text-tools/placeholders.ts'

describe('a command', () => {
  test.each([
    ['/search ', 'search', 8],
    ['/search the moon', 'search', 8],
    ['/Research\ntea', 'research', 10],
  ] as const)('is at the start of %j', (text, mode, end) => {
    expect(commandIn(text)).toEqual({ mode, end })
  })

  test.each(['/search', 'Use /search for it', '/searching for it', '/tea ', ' /search x'])('is not in %j', (text) => {
    expect(commandIn(text)).toBeNull()
  })
})

describe('a list', () => {
  test.each([
    ['/', 'prompt', ''],
    ['/rev', 'prompt', 'rev'],
    ['Hello\n/rev', 'prompt', 'rev'],
    ['Hello @gpt', 'model', 'gpt'],
    ['\t@', 'model', ''],
    ['`a` /rev', 'prompt', 'rev'],
    ['```\ncode\n```\n/rev', 'prompt', 'rev'],
    ['/Überblick', 'prompt', 'Überblick'],
    ['@opus 5', 'model', 'opus 5'],
    ['@opus ', 'model', 'opus '],
    ['/code review', 'prompt', 'code review'],
    ['@gpt 4o or @opus 5', 'model', 'opus 5'],
    ['@gpt 4o and /code r', 'prompt', 'code r'],
    ['me@example.com @gpt 4', 'model', 'gpt 4'],
    ['Ask @claude/and me', 'model', 'claude/and me'],
  ] as const)('opens after %j', (text, kind, query) => {
    expect(triggerAt(text, text.length)).toEqual({ kind, query, start: text.length - query.length - 1, end: text.length })
  })

  test.each([
    '',
    'Hello',
    'https://example.com/',
    'https://',
    'and/or',
    'me@example.com',
    '/ rev',
    'at @ 5',
    '@gpt\n5',
    'me@example.com is mine',
    '`cd /',
    'Run `npm i @',
    '```sh\ncd /',
    '~~~\n@',
    '```\n```\n```\n/',
    `/${'a'.repeat(41)}`,
  ])('does not open after %j', (text) => {
    expect(triggerAt(text, text.length)).toBeNull()
  })

  test('opens for the text before the caret only', () => {
    expect(triggerAt('/review it', 4)).toEqual({ kind: 'prompt', start: 0, end: 4, query: 'rev' })
    expect(triggerAt('Hello /review', 5)).toBeNull()
  })

  test('reads a long text without an end of its own in time', () => {
    const text = `${'a @'.repeat(20_000)}${' '.repeat(20_000)}`
    expect(triggerAt(text, text.length)).toBeNull()
  })
})

describe('variables', () => {
  const text = 'Compare {{ first thing }} with {{b_2}}; {{b_2}} wins.'

  test('are words in double braces', () => {
    expect(variablesIn(text).map(({ name }) => name)).toEqual(['first thing', 'b_2', 'b_2'])
    for (const other of ['{{}}', '{{ }}', '{a}', '{{a', '{{a.b}}', '{{{a', `{{${'a'.repeat(60)}}}`])
      expect(variablesIn(other), other).toEqual([])
  })

  const first = variablesIn(text)[0]
  const second = variablesIn(text)[1]
  if (!first || !second) throw new Error('two variables')

  test('are filled in one after another, each occurrence of a name with the same value', () => {
    expect(nextVariable(text, 0)).toEqual(first)
    const typed = text.replace('{{ first thing }}', 'tea')
    const one = completeVariable(typed, placeholderOf(text, first))
    expect(one).toEqual({ text: typed, caret: 'Compare tea'.length })
    const next = nextVariable(one.text, one.caret)
    if (!next) throw new Error('another variable')
    expect(next.name).toBe('b_2')
    const both = completeVariable(one.text.replace('{{b_2}}', 'coffee'), placeholderOf(one.text, next))
    expect(both.text).toBe('Compare tea with coffee; coffee wins.')
    expect(nextVariable(both.text, both.caret)).toBeUndefined()
  })

  test('stay until they are filled in; the first one follows the last', () => {
    const unchanged = completeVariable(text, placeholderOf(text, first))
    expect(unchanged.text).toBe(text)
    expect(nextVariable(text, unchanged.caret)).toEqual(second)
    expect(nextVariable(text, text.length)).toEqual(first)
    expect(nextVariable(text, second.start, -1)).toEqual(first)
    expect(nextVariable(text, first.start, -1)?.start).toBeGreaterThan(second.start)
  })

  test('a text that was changed around the value is left as it is', () => {
    expect(completeVariable('Something else', placeholderOf(text, first))).toEqual({ text: 'Something else', caret: 14 })
  })
})
