// Find in thread: what counts as an occurrence, and the slices of a long thread. Rules: worker/thread-search/SPEC.md, L7.
import { describe, expect, test } from 'vitest'
import { occurrencesOf, shownText } from '../../../worker/contract/threads/find-in-thread.ts'
import type { ChatMessage } from '../../../worker/contract/threads/messages.ts'
import { findBudget, findInThread } from '../../../worker/thread-search/find-messages.ts'
import { userId } from '../sync/replica.ts'
import { addMessage, type Given, given, message, thread } from './searched.ts'

const answer = (text: string): ChatMessage => ({
  id: 'm',
  role: 'assistant',
  parts: [{ type: 'text', text }],
  metadata: { modelId: 'm', modelName: 'M', modelIcon: 'i', ending: 'completed', credits: 1 },
})
const foundIn = (query: string, text: string) => occurrencesOf(query, text).map(({ from, to }) => text.slice(from, to))

describe('occurrences', () => {
  test('in any case, within words, and with any white space between words', () => {
    expect(foundIn('script', 'JavaScript and TypeScript')).toEqual(['Script', 'Script'])
    expect(foundIn(' the  sea ', 'The\nsea, the sea')).toEqual(['The\nsea', 'the sea'])
    expect(foundIn('a+b', 'a+b aab')).toEqual(['a+b'])
    expect(foundIn('ÉTÉ', 'été')).toEqual(['été'])
    expect(foundIn('aa', 'aaaa')).toEqual(['aa', 'aa'])
    expect(foundIn('  ', 'a  b')).toEqual([])
  })

  test('positions are right behind characters that change their length in lower case', () => {
    expect(foundIn('sea', 'İİİ sea')).toEqual(['sea'])
  })
})

describe('the shown text of an answer', () => {
  test.each([
    ['half **bo**ld and *italic*', 'half bold and italic'],
    ['a [link](https://sea.example/tide "title") and ![alt](https://sea.example/x.png) end', 'a link and  end'],
    ['## Heading\n- item\n1. first\n> quoted', 'Heading\nitem\nfirst\nquoted'],
    ['snake_case and _emphasis_ and `a * b_c_`', 'snake_case and emphasis and a * b_c_'],
    ['~~gone~~ $$x^2$$ here', 'gone  here'],
    ['H<sub>2</sub>O<br>3~5 <b>', 'H2O\n3~5 <b>'],
    ['[sea](https://sea.example/Tide_(sea)) and \\(x^2\\) here', 'sea and  here'],
  ])('has no Markdown: %j', (markdown, text) => expect(shownText(answer(markdown))).toBe(text))

  test('has tables cell by cell, and code as written', () => {
    expect(foundIn('sea tide', shownText(answer('| sea | tide |\n|---|:--|\n| a | b |')))).toEqual(['sea\ntide'])
    expect(foundIn('--', shownText(answer('| sea | tide |\n|---|:--|\n| a | b |')))).toEqual([])
    const text = shownText(answer('before\n\n```ts\nconst a = b * c // ts\n```\n\n*after*'))
    expect(text).toContain('const a = b * c // ts')
    expect(foundIn('ts', text)).toHaveLength(1)
    expect(foundIn('```', text)).toEqual([])
    expect(text).toContain('after')
    expect(shownText(answer('```\nunfinished\nlast line'))).toContain('last line')
  })

  test.each(['-', '[a](', '[](', '[a](b(c)', '![', '[', '\\(', '\\[', '$', ' ', '|', '`', '_', '*'])(
    'is found for 200 KB of %j without an end',
    (repeated) => {
      const text = shownText(answer(`sea ${repeated.repeat(200_000 / repeated.length)}x`))
      expect(foundIn('sea', text)).toEqual(['sea'])
      expect(text.endsWith('x')).toBe(true)
    },
  )

  test('keeps a line of dashes that ends in text, and marks without an end', () => {
    expect(shownText(answer(`${'-'.repeat(10_000)}x`))).toBe(`${'-'.repeat(10_000)}x`)
    expect(shownText(answer('[a]('.repeat(50_000)))).toBe('[a]('.repeat(50_000))
    expect(shownText(answer(`[a](${'b'.repeat(200_000)})`))).toBe('a')
  })

  test('of a question is its text as written', () => {
    expect(shownText({ id: 'q', role: 'user', parts: [{ type: 'text', text: 'a **b**' }] })).toBe('a **b**')
  })
})

/** Messages of one thread, each the parent of the next. */
function long(state: Given, texts: readonly string[]): void {
  for (const [i, text] of texts.entries()) message(state, `m-${i}`, 'long', i === 0 ? null : `m-${i - 1}`, text, { createdAt: i })
  thread(state, 'long', `m-${texts.length - 1}`)
}
const find = (state: Given, messageId: string, query: string, searchedUserId = userId, threadId = 'long') =>
  findInThread(state.sql, searchedUserId, { threadId, messageId, query })

describe('[L7] find in thread', () => {
  test('counts in the message and in those above it, from the last to the first', () => {
    const state = given()
    long(state, ['the sea', 'nothing', 'sea and sea', 'sea below'])
    expect(find(state, 'm-2', 'sea')).toEqual({
      found: [
        { messageId: 'm-2', count: 2 },
        { messageId: 'm-0', count: 1 },
      ],
      next: null,
    })
  })

  test('does not pass a deleted message, and finds nothing for another user or another thread', () => {
    const state = given()
    long(state, ['the sea', 'the sea', 'the sea'])
    addMessage(state, 'other', 'the sea')
    expect(find(state, 'm-2', 'sea', 'somebody-else').found).toEqual([])
    expect(find(state, 'm-2', 'sea', userId, 'other').found).toEqual([])
    message(state, 'm-1', 'long', 'm-0', 'the sea', { deletedAt: 5 })
    expect(find(state, 'm-2', 'sea').found).toEqual([{ messageId: 'm-2', count: 1 }])
    thread(state, 'long', 'm-2', { deletedAt: 5 })
    expect(find(state, 'm-2', 'sea').found).toEqual([])
  })

  test('slices of rows and of bytes continue without a gap', () => {
    const state = given()
    const count = 2 * findBudget.rows + 1
    long(
      state,
      Array.from({ length: count }, (_, i) => `sea ${i}`),
    )
    const slices = slicesOf(state, `m-${count - 1}`)
    expect(slices.map((found) => found.length)).toEqual([findBudget.rows, findBudget.rows, 1])
    expect(slices.flat()).toEqual(Array.from({ length: count }, (_, i) => `m-${count - 1 - i}`))
    const heavy = given()
    long(
      heavy,
      Array.from({ length: 5 }, () => `sea ${'x'.repeat(findBudget.bytes * 0.6)}`),
    )
    expect(slicesOf(heavy, 'm-4')).toEqual([['m-4'], ['m-3'], ['m-2'], ['m-1'], ['m-0']])
  })
})

function slicesOf(state: Given, from: string): readonly (readonly string[])[] {
  const slices: string[][] = []
  for (let at: string | null = from; at !== null; ) {
    const answered = find(state, at, 'sea')
    slices.push(answered.found.map(({ messageId }) => messageId))
    at = answered.next
  }
  return slices
}
