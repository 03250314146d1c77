import { describe, expect, test } from 'vitest'
import { chunksOf } from '../../../../../web/ui/markdown/code-chunks.ts'
import { piecesOf } from '../../../../../web/ui/markdown/code-directions.ts'
import { prepareLanguage, type Token, tokensFromHtml, tokensOf } from '../../../../../web/ui/markdown/highlight.ts'
import { languageOf } from '../../../../../web/ui/markdown/languages.ts'

const textOf = (tokens: readonly Token[]) => tokens.map(({ text }) => text).join('')

describe('highlighting', () => {
  test('splits nested spans and entities; the innermost colour wins', () => {
    expect(tokensFromHtml('a <span class="hljs-string">&quot;<span class="hljs-subst">&amp;&lt;</span>&#x27;</span>')).toEqual([
      { scope: null, text: 'a ' },
      { scope: 'string', text: '"' },
      { scope: 'subst', text: '&<' },
      { scope: 'string', text: "'" },
    ])
  })

  test.each([
    ['typescript', 'const a: string = `<b>&amp;` // "quoted"\n'],
    ['python', 'def f(x):\n    return f"{x!r}" # \'ok\'\n'],
    ['xml', '<a href="?a=1&amp;b=2">&lt;</a>\n'],
    ['bash', 'echo "$HOME" | grep -v \'x\' && exit 1\n'],
  ])('changes no character of %s', async (language, code) => {
    await prepareLanguage(language)
    const tokens = tokensOf(code, language)
    expect(textOf(tokens)).toBe(code)
    expect(tokens.some(({ scope }) => scope !== null)).toBe(true)
  })

  test.each([
    ['TS', 'typescript'],
    ['c++', 'cpp'],
    ['html', 'xml'],
    ['rust', 'rust'],
    ['constructor', null],
    ['', null],
    ['brainfuck', null],
  ])('%j is %s', (name, language) => expect(languageOf(name)).toBe(language))
})

describe('groups of lines', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}\n`).join('')

  test('joined are the code', () => {
    const chunks = chunksOf([
      { scope: 'comment', text: lines(60) },
      { scope: null, text: 'end' },
    ])
    expect(chunks.map(({ tokens }) => textOf(tokens)).join('')).toBe(`${lines(60)}end`)
    expect(chunks).toHaveLength(3)
  })

  test('keep their signature while code is added, if they are unchanged', () => {
    const before = chunksOf([{ scope: null, text: lines(50) }])
    const after = chunksOf([{ scope: null, text: lines(55) }])
    expect(after.slice(0, 2).map(({ signature }) => signature)).toEqual(before.slice(0, 2).map(({ signature }) => signature))
    expect(after[2]?.signature).not.toBe(before[2]?.signature)
  })
})

describe('right-to-left names', () => {
  const apart = (text: string, scope: string | null, language: string | null) =>
    piecesOf({ scope, text }, language).flatMap((piece) => (piece.isApart ? [piece.text] : []))
  const text = ' שם_1 + ערך, b2'

  test('are isolated in code, but not in strings, comments, prose and plain text', () => {
    expect(apart(text, null, 'javascript')).toEqual(['שם_1', 'ערך'])
    for (const [scope, language] of [
      ['string', 'javascript'],
      [null, 'xml'],
      [null, null],
    ] as const)
      expect(apart(text, scope, language)).toEqual([text])
    expect(apart('const a = 1', null, 'javascript')).toEqual([])
  })

  test('change no character', () => {
    for (const language of ['python', 'markdown', null])
      expect(piecesOf({ scope: null, text }, language).map((piece) => piece.text)).toEqual(
        language === 'python' ? [' ', 'שם_1', ' + ', 'ערך', ', b2'] : [text],
      )
  })
})
