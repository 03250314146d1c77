// Excerpts and announcements of answers: Markdown without what a reader does not see.
import { expect, test } from 'vitest'
import { withoutMarks } from '../../../worker/contract/text.ts'

test.each([
  ['**Bold** and ~~struck~~ `code`', 'Bold and struck code'],
  ['3~5 days, 100~200', '3~5 days, 100~200'],
  ['H<sub>2</sub>O<BR/><kbd>Ctrl</kbd>', 'H2O Ctrl'],
  ['<b>a</b> <u class="x">b', '<b>a</b> <u class="x">b'],
])('%j is read as %j', (markdown, text) => expect(withoutMarks(markdown)).toBe(text))
