import { expect, test } from 'vitest'
import { isLongPaste } from '../../../../../web/features/chat/composer/pasted-text.ts'

test.each([
  ['4,000 characters', 'a'.repeat(4000), false],
  ['4,001 characters', 'a'.repeat(4001), true],
  ['4,000 emoji, which have two code units each', '🙂'.repeat(4000), false],
  ['4,001 emoji', '🙂'.repeat(4001), true],
  ['blanks alone', ' \n'.repeat(4000), false],
  ['a megabyte', 'word '.repeat(200_000), true],
  ['a control character that no text file may have', `${'a'.repeat(5000)}\u0000`, false],
  ['the source of a PDF, which no text file may begin with', `%PDF-1.4\n${'a'.repeat(5000)}`, false],
  ['the letters that a GIF begins with', `GIF89a ${'a'.repeat(5000)}`, false],
  ['the colours of a terminal', `${'a'.repeat(5000)}\u001b[0m`, false],
])('%s: becomes an attachment %s', (_, text, expected) => {
  expect(isLongPaste(text)).toBe(expected)
})
