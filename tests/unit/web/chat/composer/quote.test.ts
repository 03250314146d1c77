import { expect, test } from 'vitest'
import { withQuote } from '../../../../../web/features/chat/composer/quote.ts'

/** `|`: the caret. */
const quoted = (draft: string, text: string): string => {
  const at = draft.indexOf('|')
  const { text: next, caret } = withQuote(draft.replace('|', ''), text, at)
  return `${next.slice(0, caret)}|${next.slice(caret)}`
}

test('a quotation has a mark on every line, and the caret is after it', () => {
  expect(quoted('|', ' one\n\ntwo\r\nthree ')).toBe('> one\n>\n> two\n> three\n\n|')
})

test('blank lines separate it from the text before and after the caret, and no text is lost', () => {
  expect(quoted('Before|', 'said')).toBe('Before\n\n> said\n\n|')
  expect(quoted('Before\n|', 'said')).toBe('Before\n\n> said\n\n|')
  expect(quoted('Before\n\n|After', 'said')).toBe('Before\n\n> said\n\n|After')
  expect(quoted('Be|fore', 'said')).toBe('Be\n\n> said\n\n|fore')
  expect(quoted('|\n\nAfter', 'said')).toBe('> said\n\n|After')
})
