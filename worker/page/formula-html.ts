/**
 * Formulas of shared pages as MathML, which browsers draw without a script, a style or a font of ours. KaTeX loads with the first formula.
 * Its output is read tag by tag: only known elements, attributes and values are written, so a formula that contains others stays source.
 */
import { coversWords, definesCommand, isChemistry, katexLimits } from '../../web/ui/streaming-markdown/formula-limits.ts'
import { maxFormulaChars } from '../../web/ui/streaming-markdown/math-rules.ts'

/** Null for a formula that is not drawn. */
export async function formulaHtml(source: string, isBlock: boolean): Promise<string | null> {
  if (source.length > maxFormulaChars || definesCommand(source) || coversWords(source)) return null
  let isRefused = false
  const trust = () => {
    isRefused = true
    return false
  }
  try {
    const [{ default: katex }] = await Promise.all([import('katex'), isChemistry(source) && import('katex/contrib/mhchem')])
    const output = katex.renderToString(source, {
      ...katexLimits,
      ...{ trust, displayMode: isBlock, output: 'mathml', throwOnError: true, macros: {} },
    })
    const content = isRefused ? null : mathContent(output)
    if (content === null) return null
    // A block that scrolls must be reachable by keyboard.
    const tabStop = content.replaceAll(/<[^>]*>/g, '').length > phoneChars ? ' tabindex="0"' : ''
    return isBlock
      ? `<span class="md-mathml md-math-block"${tabStop}><math display="block">${content}</math></span>`
      : `<span class="md-mathml"><math>${content}</math></span>`
  } catch {
    // Any error of the formula, including a stack overflow.
    return null
  }
}

/** Chosen: as many fit on a line of a phone. */
const phoneChars = 30

/** The formula without its source, which KaTeX adds and browsers hide. */
function mathContent(output: string): string | null {
  const content = /<math[^>]*><semantics>(.*)<annotation encoding="application\/x-tex">[^<]*<\/annotation><\/semantics><\/math>/s.exec(
    output,
  )?.[1]
  return content === undefined ? null : writtenContent(content)
}

/** Chosen: half of the levels at which the parser of a browser stops nesting. */
const maxDepth = 250

const piece = /<(\/?)([a-z]+)((?:\s+[a-z]+\s*=\s*"[^"<>]*")*)\s*(\/?)>|([^<>]+)/gy

type Table = {
  readonly columns: readonly string[]
  readonly columnLines: readonly string[]
  readonly rowLines: readonly string[]
  readonly isTight: boolean
  row: number
  column: number
}
type Opened = { readonly written: string; readonly variant: string | null; readonly table: Table | null }

function writtenContent(content: string): string | null {
  // Places of the number and the margins of an equation. They would move the columns.
  const source = content.replaceAll(/<mtd (?:class ="(?:mtr-glue|mml-eqn-num)"|width="50%")><\/mtd>/g, '')
  const open: Opened[] = []
  const tags: string[] = []
  let end = 0
  for (const match of source.matchAll(piece)) {
    end = match.index + match[0].length
    const [, slash, name = '', attributes = '', isEmpty, text] = match
    if (text !== undefined) tags.push(textIn(text, open.at(-1)?.variant ?? null))
    else if (slash) tags.push(`</${open.pop()?.written ?? ''}>`)
    else {
      const element = elementOf(name, attributes, open.findLast(({ table }) => table !== null)?.table ?? null)
      if (element === null || open.length === maxDepth) return null
      tags.push(`<${element.written}${element.attributes}>`)
      if (isEmpty) tags.push(`</${element.written}>`)
      else open.push(element)
    }
  }
  return end === source.length && open.length === 0 ? tags.join('') : null
}

const elements =
  /^(?:mrow|mi|mo|mn|mtext|mspace|msup|msub|msubsup|mfrac|msqrt|mroot|munder|mover|munderover|mtable|mtr|mtd|mstyle|mpadded|mphantom|menclose)$/

const isFlag = (value: string): boolean => /^(?:true|false)$/.test(value)
/** At most 30 em, as `maxSize` allows. KaTeX does not limit all sizes. */
const largest: Readonly<Record<string, number>> = { em: 30, ex: 60, pt: 360, px: 480, '%': 100, '': 30 }
const isLength = (value: string): boolean => {
  const [, amount, unit = ''] = /^-?(\d+\.?\d*|\.\d+)(em|ex|pt|px|%)?$/.exec(value) ?? []
  return amount !== undefined && Number(amount) <= (largest[unit] ?? 0)
}
const isColour = (value: string): boolean => /^(?:#[\da-f]{3,8}|[a-z]+)$/i.test(value)
const validators: ReadonlyMap<string, (value: string) => boolean> = new Map(
  Object.entries({
    ...{ stretchy: isFlag, fence: isFlag, separator: isFlag, largeop: isFlag, symmetric: isFlag, movablelimits: isFlag },
    ...{ accent: isFlag, accentunder: isFlag, displaystyle: isFlag, scriptlevel: (value) => /^[+-]?\d$/.test(value) },
    ...{ width: isLength, height: isLength, depth: isLength, voffset: isLength, lspace: isLength, rspace: isLength },
    ...{ minsize: isLength, maxsize: isLength, linethickness: isLength, mathsize: isLength, mathcolor: isColour, mathbackground: isColour },
  }),
)
/** Read by `elementOf`, or without effect. */
const unwritten = /^(?:class|mathvariant|notation|columnalign|columnspacing|columnlines|rowlines|rowspacing|linebreak|form|side)$/

/** Drawn by classes, because browsers do not draw `menclose`. */
const enclosures: Readonly<Record<string, string>> = {
  box: 'border border-current p-1',
  updiagonalstrike: 'md-up-strike',
  downdiagonalstrike: 'md-down-strike',
}

/** Null for an element that is not written. */
function elementOf(name: string, source: string, table: Table | null): (Opened & { readonly attributes: string }) | null {
  if (!elements.test(name)) return null
  const values = new Map(Array.from(source.matchAll(/([a-z]+)\s*=\s*"([^"]*)"/g), ([, key = '', value = '']) => [key, value]))
  const classes: string[] = []
  let attributes = ''
  // Frames of colour boxes: sizes relative to the content, which browsers do not know.
  const isPadded = name === 'mpadded' && values.get('width')?.startsWith('+') === true
  if (isPadded) {
    classes.push('p-1')
    for (const key of ['width', 'height', 'lspace', 'voffset']) values.delete(key)
  }
  // The size of a table is that of its content.
  if (name === 'mtable' || name === 'mtd') values.delete('width')
  if (name === 'mspace' && values.get('mathbackground') === 'black') {
    classes.push('bg-current')
    values.delete('mathbackground')
  }
  for (const [key, value] of values) {
    if (validators.get(key)?.(value)) attributes += ` ${key}="${value}"`
    else if (!unwritten.test(key)) return null
  }
  const variant = values.get('mathvariant') ?? null
  if (variant !== null && !variants.has(variant)) return null
  if (name === 'mi' && variant === 'normal') attributes += ' mathvariant="normal"'
  if (name === 'mtext' && variant !== null) classes.push(...(textClasses[variant] ?? []))
  if (name === 'menclose') {
    const enclosure = enclosures[values.get('notation') ?? '']
    if (enclosure === undefined) return null
    classes.push(enclosure)
  }
  if (name === 'mtr' && table) {
    table.row += 1
    table.column = 0
  }
  if (name === 'mtd' && table) classes.push(...cellClasses(table))
  if (classes.length > 0) attributes += ` class="${classes.join(' ')}"`
  return {
    written: name === 'menclose' ? 'mrow' : name,
    attributes,
    variant: name === 'mtext' ? null : variant,
    table: name === 'mtable' ? tableOf(values) : null,
  }
}

function tableOf(values: ReadonlyMap<string, string>): Table {
  const listed = (key: string) => values.get(key)?.split(' ') ?? []
  return {
    ...{ columns: listed('columnalign'), columnLines: listed('columnlines'), rowLines: listed('rowlines') },
    ...{ isTight: values.get('columnspacing')?.startsWith('0em') === true, row: 0, column: 0 },
  }
}

/** Browsers align cells and draw lines by styles only. The last alignment repeats (MathML 3, section 3.5.1). */
function cellClasses(table: Table): readonly string[] {
  const { columns, columnLines, rowLines, isTight } = table
  const at = (list: readonly string[], index: number) => list[Math.min(index, list.length - 1)]
  const align = at(columns, table.column)
  const hasLine = (value: string | undefined) => value === 'solid' || value === 'dashed'
  const classes = [
    align === 'left' ? 'text-left' : align === 'right' ? 'text-right' : null,
    isTight ? 'md-tight' : null,
    hasLine(rowLines[table.row - 1]) ? 'border-b border-current' : null,
    hasLine(columnLines[table.column]) ? 'border-r border-current' : null,
  ]
  table.column += 1
  return classes.filter((name) => name !== null)
}

/*
 * Browsers draw the letters of a variant only if the text has the characters of that variant.
 */

/** The first capital, small letter and digit of each variant (Unicode, Mathematical Alphanumeric Symbols). */
const variants: ReadonlyMap<string, readonly [capital: number | null, small: number | null, digit: number | null]> = new Map([
  ['normal', [null, null, null]],
  ['italic', [0x1d434, 0x1d44e, null]],
  ['bold', [0x1d400, 0x1d41a, 0x1d7ce]],
  ['bold-italic', [0x1d468, 0x1d482, 0x1d7ce]],
  ['double-struck', [0x1d538, 0x1d552, 0x1d7d8]],
  ['script', [0x1d49c, 0x1d4b6, null]],
  ['bold-script', [0x1d4d0, 0x1d4ea, null]],
  ['fraktur', [0x1d504, 0x1d51e, null]],
  ['bold-fraktur', [0x1d56c, 0x1d586, null]],
  ['sans-serif', [0x1d5a0, 0x1d5ba, 0x1d7e2]],
  ['bold-sans-serif', [0x1d5d4, 0x1d5ee, 0x1d7ec]],
  ['sans-serif-italic', [0x1d608, 0x1d622, 0x1d7e2]],
  ['sans-serif-bold-italic', [0x1d63c, 0x1d656, 0x1d7ec]],
  ['monospace', [0x1d670, 0x1d68a, 0x1d7f6]],
])

/** Letters that Unicode had before, elsewhere. */
const elsewhere: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  italic: { h: 'ℎ' },
  'double-struck': { C: 'ℂ', H: 'ℍ', N: 'ℕ', P: 'ℙ', Q: 'ℚ', R: 'ℝ', Z: 'ℤ' },
  script: { B: 'ℬ', E: 'ℰ', F: 'ℱ', H: 'ℋ', I: 'ℐ', L: 'ℒ', M: 'ℳ', R: 'ℛ', e: 'ℯ', g: 'ℊ', o: 'ℴ' },
  fraktur: { C: 'ℭ', H: 'ℌ', I: 'ℑ', R: 'ℜ', Z: 'ℨ' },
}

/** Greek: the first capital and small letter of the bold variants. The others have none. */
const greek: Readonly<Record<string, readonly [capital: number, small: number]>> = {
  bold: [0x1d6a8, 0x1d6c2],
  'bold-italic': [0x1d71c, 0x1d736],
}

/** Words keep their letters, so that they can be read and copied. */
const textClasses: Readonly<Record<string, readonly string[]>> = {
  bold: ['font-semibold'],
  italic: ['italic'],
  'bold-italic': ['font-semibold', 'italic'],
  monospace: ['font-mono'],
}

/** `text` is HTML: its entities stay. */
function textIn(text: string, variant: string | null): string {
  // The arrow of a vector: browsers stretch and place this one.
  if (text === '\u20d7') return '→'
  const starts = variant === null ? undefined : variants.get(variant)
  if (variant === null || starts === undefined || variant === 'normal') return text
  return text.replaceAll(/&[a-z#\d]+;|[A-Za-z\dΑ-Ωα-ω]/gi, (letter) => {
    if (letter.length > 1) return letter
    const [capital, small, digit] = starts
    const from = (start: number | null | undefined, first: string) =>
      start == null ? letter : String.fromCodePoint(start + letter.charCodeAt(0) - first.charCodeAt(0))
    if (/[A-Z]/.test(letter)) return elsewhere[variant]?.[letter] ?? from(capital, 'A')
    if (/[a-z]/.test(letter)) return elsewhere[variant]?.[letter] ?? from(small, 'a')
    if (/\d/.test(letter)) return from(digit, '0')
    return /[Α-Ω]/.test(letter) ? from(greek[variant]?.[0], 'Α') : from(greek[variant]?.[1], 'α')
  })
}
