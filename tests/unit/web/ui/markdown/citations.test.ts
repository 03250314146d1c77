import { describe, expect, test } from 'vitest'
import { type CitedSource, withCitations } from '../../../../../web/ui/markdown/citations.ts'
import { answerParser, noDefinitions } from '../../../../../web/ui/streaming-markdown/answer-parser.ts'

const sources: readonly CitedSource[] = [
  { number: 1, title: 'Tides', url: 'https://sea.org/tides', site: 'sea.org' },
  { number: 2, title: 'Moon', url: 'https://moon.org/', site: 'moon.org' },
]

/** Pills as {n→address}, other links as <text>, everything else as text. */
const drawn = (text: string, cited = sources): string =>
  answerParser
    .parse(text, noDefinitions())
    .flatMap((token) => (token.children ? withCitations(token.children, cited) : [token]))
    .map(({ type, content, meta }) => {
      const source = meta as unknown as CitedSource
      return type === 'citation' ? `{${source.number}→${source.url}}` : type === 'link_open' ? '<' : type === 'link_close' ? '>' : content
    })
    .join('')

test('no line starts with a citation: the space before it does not break', () => {
  expect(drawn('Twice a day [1](https://sea.org/tides) [2].')).toBe(
    'Twice a day\u00a0{1→https://sea.org/tides}\u00a0{2→https://moon.org/}.',
  )
})

describe('numbers in brackets', () => {
  test.each([
    ['Twice a day [1].', 'Twice a day\u00a0{1→https://sea.org/tides}.'],
    ['Both[1][2]', 'Both{1→https://sea.org/tides}{2→https://moon.org/}'],
    ['Both [1, 2]!', 'Both\u00a0{1→https://sea.org/tides}{2→https://moon.org/}!'],
    ['[2] first', '{2→https://moon.org/} first'],
    ['Nobody gave [7] or [12].', 'Nobody gave [7] or [12].'],
    ['Half of it [1, 9]', 'Half of it\u00a0{1→https://sea.org/tides}'],
    ['a[0] and [x] and [ 1 ]', 'a[0] and [x] and [ 1 ]'],
  ])('%j', (value, expected) => {
    expect(drawn(value)).toBe(expected)
  })

  test('stay text in code', () => {
    expect(drawn('`a[1][2]`')).toBe('a[1][2]')
    expect(drawn('    a[1]')).toBe('a[1]\n')
  })
})

describe('a link whose text is a number', () => {
  test.each(['https://sea.org/tides', 'https://sea.org/tides/', 'http://www.sea.org/tides#twice', 'HTTPS://SEA.org/tides'])(
    'becomes that source’s pill: %s',
    (url) => {
      expect(drawn(`[1](${url})`)).toBe('{1→https://sea.org/tides}')
      expect(drawn(`[[1]](${url})`)).toBe('{1→https://sea.org/tides}')
    },
  )

  test('hides no other address: it links to the source of its number, or nowhere', () => {
    for (const url of ['https://attacker.org/?q=secret', 'javascript:alert(1)', '<no address>', 'https://sea.org/tides?q=secret']) {
      for (const shown of ['1', ' 1 ', '[1]', '(1)', '¹', '1, 7']) expect(drawn(`[${shown}](${url})`)).toBe('{1→https://sea.org/tides}')
      expect(drawn(`[1, 2](${url})`)).toBe('{1→https://sea.org/tides}{2→https://moon.org/}')
      expect(drawn(`[9](${url})`)).toBe('9')
      expect(drawn(`[[404]](${url})`)).toBe('[404]')
    }
  })

  test('is recognised inside emphasis', () => {
    expect(drawn('[**2**](https://attacker.org/)')).toBe('{2→https://moon.org/}')
  })

  test('links to the source with its address, even if its number is another’s', () => {
    expect(drawn('[2](https://sea.org/tides)')).toBe('{1→https://sea.org/tides}')
  })

  test('stays a link if it has other text, and if nothing was fetched', () => {
    for (const shown of ['source 1', 'a', '2024', '1.5', '']) expect(drawn(`[${shown}](https://other.org/)`)).toBe(`<${shown}>`)
    expect(drawn('[1](https://other.org/)', [])).toBe('<1>')
  })
})

describe('a number that the answer defines as a reference link', () => {
  const attack = ['1', '2', '9', 'x'].map((label) => `[${label}]: https://attacker.org/?q=secret\n`).join('')

  test('links to its source, or nowhere', () => {
    expect(drawn(`[1]\n\n${attack}`)).toBe('{1→https://sea.org/tides}')
    expect(drawn(`${attack}\n[2][]`)).toBe('{2→https://moon.org/}')
    expect(drawn(`[1][x]\n\n${attack}`)).toBe('{1→https://sea.org/tides}')
    expect(drawn(`[9]\n\n${attack}`)).toBe('9')
  })

  test('is two citations if two are adjacent', () => {
    expect(drawn(`[1][2]\n\n${attack}`)).toBe('{1→https://sea.org/tides}{2→https://moon.org/}')
    expect(drawn(`[1][9]\n\n${attack}`)).toBe('{1→https://sea.org/tides}[9]')
  })

  test('stays a link if it has other text', () => {
    expect(drawn(`[the page][x]\n\n${attack}`)).toBe('<the page>')
  })
})
