// What is not given to the parser, and what a long answer may well hold.
import { describe, expect, test } from 'vitest'
import { isTooMuch } from '../../../../web/ui/markdown/too-much.ts'

const many = (text: string, count = 1000): string => text.repeat(count)

describe('too much is', () => {
  test.each([
    ['a paragraph of marks', many('*_ a] ')],
    ['the same over many lines', many('*_ a]\n')],
    ['in a quote', many('> *_ a]\n')],
    ['behind what looks like items and is indented too far to begin one', `a\n${many('      - *_ a]\n')}`],
    ['behind what looks like numbers and begins no list', `a\n${many('2. *_ a]\n')}`],
    ['behind what looks like a fence and is none', `a\n     \`\`\`\n${many('*_ a]\n')}`],
    ['behind code whose item is over', `- \`\`\`\n${many('*_ a]\n')}`],
    ['behind an item that is over', `- a\n  - b\n    - c\n\nd\n${many('      - *_ a]\n')}`],
    ['in bars that are no table', many('| *_ a] |\n')],
    ['in one cell', `| a |\n|---|\n| ${many('*_ a] ')} |`],
    ['a hundred quotes in each other', many('> ', 101)],
  ])('%s', (_, text) => expect(isTooMuch(text)).toBe(true))
})

describe('not too much is', () => {
  test.each([
    ['a long list', many('- **Bold** and [a link](https://example.com/a_b), `code`\n')],
    ['a long list of numbers', Array.from({ length: 1000 }, (_, i) => `${i + 1}. **Bold** and [a](b)\n`).join('')],
    ['a list in a list', many('- **One** [a](b)\n  - _two_ [a](b)\n    - `three` [a](b)\n')],
    ['a long table', `| a | b |\n|---|---|\n${many('| **Bold** | [a](b) |\n')}`],
    ['many paragraphs', many('**Bold** and [a link](https://example.com/a_b).\n\n')],
    ['code in an item', `1. Do this:\n   \`\`\`ts\n${many('   a[0] = *b_c < d\n')}   \`\`\`\n2. Done.`],
    ['code right below an item', `- Do this:\n\`\`\`ts\n${many('a[0] = *b_c < d\n')}\`\`\`\nDone.`],
    ['a paragraph of a thousand marks', many('[a] ')],
  ])('%s', (_, text) => expect(isTooMuch(text)).toBe(false))
})
