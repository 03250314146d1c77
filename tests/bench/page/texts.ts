/** Texts of typical answers for the benchmarks of the page. */
import { squareOf } from '../../support/sample-files.ts'

const prose =
  'The **moon** pulls on the sea, the *sun* a little less; `height` is what a gauge shows. See [the table](https://example.com/tides) below. '

const code = Array.from(
  { length: 30 },
  (_, line) => `  const height${line} = tides[${line}] * Math.sin(${line} / 12) // metres above chart datum`,
)
const table = Array.from({ length: 12 }, (_, row) => `| Port ${row} | ${row}.2 m | rises for *six* hours |`)

const sections: readonly string[] = [
  `## Spring and neap\n\n${prose.repeat(3)}`,
  `- ${prose}\n- ${prose}\n  - ${prose}\n- ${prose}`,
  `\`\`\`ts\nfunction tide() {\n${code.join('\n')}\n}\n\`\`\``,
  `| Port | Height | Note |\n|---|---|---|\n${table.join('\n')}`,
  `1. ${prose}\n2. ${prose}\n\n> ${prose}`,
  `The force is $F = G \\frac{m_1 m_2}{r^2}$, and \\(h = 2\\) metres cost $5.\n\n${prose.repeat(2)}`,
]

const listItems: readonly string[] = [`- ${prose}`, `- ${prose}\n  - ${prose}`, `- **Range:** ${prose}`]

/** A text of `before` that grows by `added`. */
export type GrowingText = { readonly before: string; readonly added: string }

/** `before` repeats the parts up to `chars`. `added` is the same for every length, so that only the length differs. */
function growing(parts: readonly string[], chars: number): GrowingText {
  let before = ''
  for (let index = 0; before.length < chars; index += 1) before += parts[index % parts.length]
  return { before, added: parts.join('') }
}

/** An answer of prose, lists, code, tables and formulas. */
export function growingAnswer(chars: number): GrowingText {
  return growing(
    sections.map((section) => `${section}\n\n`),
    chars,
  )
}

/** An answer of one list. A blank line between the items makes it loose. */
export function growingList(chars: number, separator: '\n' | '\n\n'): GrowingText {
  const parts = listItems.map((item) => item + separator)
  return growing([...parts, ...parts, ...parts, ...parts], chars)
}

const image = `![A chart](data:image/png;base64,${Buffer.from(squareOf(320, 'black')).toString('base64')})`

/** The answers of a long thread, in turn: prose, code, a table, an image, a list. */
export const variedAnswers: readonly string[] = [...sections, `${prose}\n\n${image}\n\n${prose}`]
