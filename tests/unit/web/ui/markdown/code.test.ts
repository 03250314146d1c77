import { describe, expect, test } from 'vitest'
import { prepareLanguage, type Token, tokensOf } from '../../../../../web/ui/code-colours/highlight.ts'
import { languageOf } from '../../../../../web/ui/code-colours/languages.ts'
import { chunksOf, piecesOf } from '../../../../../web/ui/markdown/code-block.tsx'

const textOf = (tokens: readonly Token[]) => tokens.map(({ text }) => text).join('')

describe('highlighting', () => {
  test('gives nested text the innermost class, and keeps the subclass', async () => {
    await prepareLanguage('javascript')
    expect(tokensOf(`\`a \${'b'}\`; MAX_SIZE`, 'javascript')).toEqual([
      { className: 'tok-string', text: '`a ' },
      { className: 'tok-subst', text: '${' },
      { className: 'tok-string', text: "'b'" },
      { className: 'tok-subst', text: '}' },
      { className: 'tok-string', text: '`' },
      { className: null, text: '; ' },
      { className: 'tok-variable constant_', text: 'MAX_SIZE' },
    ])
  })

  test('colours a language inside another one', async () => {
    await prepareLanguage('xml')
    await prepareLanguage('javascript')
    expect(tokensOf('<script>let a = 1</script>', 'xml')).toContainEqual({ className: 'tok-keyword', text: 'let' })
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
    expect(tokens.some(({ className }) => className !== null)).toBe(true)
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
      { className: 'tok-comment', text: lines(60) },
      { className: null, text: 'end' },
    ])
    expect(chunks.map(({ tokens }) => textOf(tokens)).join('')).toBe(`${lines(60)}end`)
    expect(chunks).toHaveLength(3)
  })

  test('keep their signature while code is added, if they are unchanged', () => {
    const before = chunksOf([{ className: null, text: lines(50) }])
    const after = chunksOf([{ className: null, text: lines(55) }])
    expect(after.slice(0, 2).map(({ signature }) => signature)).toEqual(before.slice(0, 2).map(({ signature }) => signature))
    expect(after[2]?.signature).not.toBe(before[2]?.signature)
  })
})

describe('right-to-left names', () => {
  const apart = (text: string, className: string | null, language: string | null) =>
    piecesOf({ className, text }, language).flatMap((piece) => (piece.isIsolated ? [piece.text] : []))
  const text = ' שם_1 + ערך, b2'

  test('are isolated in code, but not in strings, comments, prose and plain text', () => {
    expect(apart(text, null, 'javascript')).toEqual(['שם_1', 'ערך'])
    for (const [className, language] of [
      ['tok-string', 'javascript'],
      [null, 'xml'],
      [null, null],
    ] as const)
      expect(apart(text, className, language)).toEqual([text])
    expect(apart('const a = 1', null, 'javascript')).toEqual([])
  })

  test('change no character', () => {
    for (const language of ['python', 'markdown', null])
      expect(piecesOf({ className: null, text }, language).map((piece) => piece.text)).toEqual(
        language === 'python' ? [' ', 'שם_1', ' + ', 'ערך', ', b2'] : [text],
      )
  })
})
