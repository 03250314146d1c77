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

/** A growing answer of prose, lists, code, tables and formulas. */
export function longAnswer(chars: number): string {
  let text = ''
  for (let index = 0; text.length < chars; index += 1) text += `${sections[index % sections.length]}\n\n`
  return text.slice(0, chars)
}

/** A growing answer of one list. A blank line between the items makes it loose. */
export function longList(chars: number, separator: '\n' | '\n\n'): string {
  const items = [`- ${prose}`, `- ${prose}\n  - ${prose}`, `- **Range:** ${prose}`]
  let text = ''
  for (let index = 0; text.length < chars; index += 1) text += items[index % items.length] + separator
  return text.slice(0, chars)
}

const image = `![A chart](data:image/png;base64,${Buffer.from(squareOf(320, 'black')).toString('base64')})`

/** The answers of a long thread, in turn: prose, code, a table, an image, a list. */
export const variedAnswers: readonly string[] = [...sections, `${prose}\n\n${image}\n\n${prose}`]
