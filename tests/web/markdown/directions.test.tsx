/** The text direction of each block of an answer. */
import { expect, test } from 'vitest'
import { byBlocks } from './render.tsx'

/** Elements with the opposite direction of their parent, each with the start of its text. */
const turned = (text: string, isGrowing = false): readonly string[] =>
  [...byBlocks(text, isGrowing).matchAll(/<(\w+)[^>]* dir="(\w+)"[^>]*>((?:<[^>]+>)*)([^<]*)/g)].map(([, tag, dir, , words]) =>
    `${tag} ${dir} ${words}`.trim(),
  )

test.each([
  ['words from left to right say nothing', '# Tides\n\nTwice a day, 12 h apart.\n\n- one\n- two\n\n> said\n\n|a|b|\n|-|-|\n|c|d|', []],
  ['a paragraph below a heading of another language', '# Greeting\n\nمرحبا بالعالم', ['p rtl مرحبا بالعالم']],
  ['a heading above a paragraph of another language', '## שלום\n\nHello', ['h2 rtl שלום']],
  ['a list by its first word, its items by their own', '- ואז\n- then\n- ולבסוף', ['ul rtl ואז', 'li ltr then']],
  ['an item of several blocks', '- then\n\n- ואז\n\n  ולבסוף\n\n  and so on', ['li rtl ואז', 'p ltr and so on']],
  ['a list inside an item of another language', '- then\n  1. ואז\n- and', ['ol rtl ואז']],
  ['a quotation, and what it says in between in another language', '> قال\n>\n> he said', ['blockquote rtl قال', 'p ltr he said']],
  ['a table by its first word, its cells by their own', '|اسم|name|\n|-|-|\n|1|قمر|', ['div rtl اسم', 'th ltr name']],
  ['one cell of a table', '|name|1|\n|-|-|\n|moon|قمر|', ['td rtl قمر']],
  ['code and formulas do not decide', '`npm install` يثبت\n\n$x$ هو العدد', ['p rtl npm install', 'p rtl x']],
  ['numbers and signs do not either', '2026: 12 %\n\n… 1. سنة', ['p rtl … 1. سنة']],
  ['emphasis and links do', '**مرحبا** Ada\n\n[قمر](https://example.com) moon', ['p rtl مرحبا', 'p rtl قمر']],
  ['letters beyond the first plane', '\u{1e900}\u{1e901} adlam', ['p rtl \u{1e900}\u{1e901} adlam']],
])('%s', (_what, text, expected) => expect(turned(text)).toEqual(expected))

test('code has no effect on the direction', () => {
  expect(byBlocks('مثال:\n\n```js\n// تعليق\n```')).not.toMatch(/md-code"[^>]* dir=/)
})

test('a block gets its direction from its first letter on, and earlier blocks do not change', () => {
  const text = 'Hello\n\n**1.** مرحبا'
  const drawn = Array.from(text, (_, index) => turned(text.slice(0, index + 1), true).length)
  expect(drawn.indexOf(1)).toBe(text.indexOf('م'))
  expect(drawn.lastIndexOf(0)).toBe(text.indexOf('م') - 1)
})
