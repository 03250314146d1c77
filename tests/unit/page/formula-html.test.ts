// Formulas of shared pages: MathML that browsers draw without a style attribute, and hostile formulas, which stay source.
import { describe, expect, test } from 'vitest'
import { formulaHtml } from '../../../worker/page/formula-html.ts'

const mathOf = async (source: string, isBlock = false) => /<math[^>]*>(.*)<\/math>/s.exec((await formulaHtml(source, isBlock)) ?? '')?.[1]

test.each([
  ['a fraction', '\\frac{h}{p}', '<mfrac><mi>h</mi><mi>p</mi></mfrac>'],
  ['letters of a variant', '\\mathbb{R}\\mathcal{L}\\mathbf{v1}', '<mi>ℝ</mi><mi>ℒ</mi><mrow><mi>𝐯</mi><mn>𝟏</mn></mrow>'],
  ['bold Greek', '\\bm{\\alpha}', '<mi>𝜶</mi>'],
  ['an upright letter', '\\mathrm{d}', '<mi mathvariant="normal">d</mi>'],
  ['bold text with entities', '\\textbf{a<b}', '<mtext class="font-semibold">a&lt;b</mtext>'],
  ['a vector', '\\vec{v}', '<mover accent="true"><mi>v</mi><mo>→</mo></mover>'],
  [
    'a box',
    '\\fbox{a}',
    '<mrow class="border border-current p-1"><mstyle scriptlevel="0" displaystyle="false"><mtext>a</mtext></mstyle></mrow>',
  ],
  ['a struck term', '\\cancel{x}', '<mrow class="md-up-strike"><mi>x</mi></mrow>'],
])('draws %s', async (_, source, math) => {
  expect(await mathOf(source)).toBe(`<mrow>${math}</mrow>`)
})

test('aligns equations at their sign, and draws the lines of arrays', async () => {
  const cells = async (source: string) => (await mathOf(source, true))?.match(/<mtd[^>]*>/g)
  expect(await cells('\\begin{align}a&=b\\\\c&=d\\end{align}')).toEqual([
    ...['<mtd class="text-right md-tight">', '<mtd class="text-left md-tight">'],
    ...['<mtd class="text-right md-tight">', '<mtd class="text-left md-tight">'],
  ])
  expect(await cells('\\begin{array}{c|c}a&b\\\\\\hline c&d\\end{array}')).toEqual([
    ...['<mtd class="border-b border-current border-r border-current">', '<mtd class="border-b border-current">'],
    ...['<mtd class="border-r border-current">', '<mtd>'],
  ])
  expect(await cells('x=y\\tag{1}')).toEqual(['<mtd>', '<mtd>'])
})

test('draws chemistry', async () => {
  expect(await mathOf('\\ce{H2O <=> H+ + OH-}')).toContain('⇌')
})

describe('leaves as source', () => {
  test.each([
    ['a link', '\\href{javascript:alert(1)}{x}'],
    ['an address', '\\url{https://evil.example}'],
    ['an image', '\\includegraphics{https://evil.example/a.png}'],
    ['a class', '\\htmlClass{md-citation}{x}'],
    ['an id', '\\htmlId{note}{x}'],
    ['a style', '\\htmlStyle{position:fixed}{x}'],
    ['data', '\\htmlData{tooltip=x}{x}'],
    ['a definition', '\\def\\a{x}\\a'],
    ['a macro that doubles', `\\newcommand{\\a}{xx}${'\\newcommand{\\b}{\\a\\a}'.repeat(9)}\\b`],
    ['an internal command', '\\@firstoftwo{a}{b}'],
    ['too many expansions', '\\not='.repeat(800)],
    ['a long formula', 'x'.repeat(4001)],
    ['too many levels', `${'\\sqrt'.repeat(400)}x`],
    ['a part far above', '\\raisebox{100em}{x}'],
    ['a part over earlier text', 'x\\kern-5em y'],
    ['a part of no height', '\\smash{x}'],
    ['an enclosure that browsers do not draw', '\\phase{x}'],
    ['a mistake', '\\frac{'],
  ])('%s', async (_, source) => {
    expect(await formulaHtml(source, true)).toBeNull()
  })
})

test('limits sizes', async () => {
  expect(await mathOf('\\rule{1000em}{1000em}')).toContain('<mspace width="30em" height="30em" class="bg-current">')
  expect(await mathOf('\\hspace{1000em}')).toBe('<mrow><mspace width="30em"></mspace></mrow>')
})

test('takes a bounded time for deep and long formulas', async () => {
  const parts = ['\\frac{a}{', '\\left(', '{', 'a^{', '\\begin{matrix}', '\\substack{a\\\\', 'a&', "a'", '\\text{', '\\color{red}', '\\ce{']
  for (const part of parts) {
    const html = await formulaHtml(part.repeat(Math.floor(4000 / part.length)), true)
    expect(html === null || html.length < 200_000).toBe(true)
  }
})
