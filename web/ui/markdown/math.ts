/**
 * Formulas for remark-math, which has two notations: `$$` on separate lines, and runs of dollars inline. It supports neither `\(…\)` nor the
 * distinction from money, and treats everything below a stray `$$` as a formula. So `normalizeMath` rewrites the formulas that math-rules.ts
 * finds and breaks all other runs of dollars; the plugin `formulas` undoes that in code, addresses and other text.
 */
import type { Nodes, Parent, Root } from 'mdast'
import type { Math as BlockMath, InlineMath } from 'mdast-util-math'
import { hiddenBar, withHiddenBars } from '../streaming-markdown/formula-bars.ts'
import { fenceAt, indentOf } from '../streaming-markdown/lines.ts'
import { mayHaveMath, type Opener } from '../streaming-markdown/math-rules.ts'
import { afterSpaces, type FormulaSpan, formulasIn, isLineEnd } from '../streaming-markdown/math-spans.ts'

/** `open`: its end has not arrived, so its source is shown. */
export type MathKind = 'inline' | 'display' | 'open'

/** Unicode reserves this code point for the internal use of a program. */
const mark = '\ufdd0'

/** Four dollars: a formula contains shorter runs only. The dollar between the marks prevents a block formula at the start of a line. */
const openingOf = (opener: Opener): string => `$$$$${mark}${opener}$${mark}`
const closingOf = (closer: string): string => `${mark}${closer}${mark}$$$$`
const formulaPattern = new RegExp(`^${mark}(.{1,2})\\$${mark}([^]*)${mark}.{1,2}${mark}$`)
const rewritten = new RegExp(`\\\${4}${mark}(.{1,2})\\$${mark}|${mark}(.{1,2})${mark}\\\${4}|${mark}`, 'g')

const inserted = new RegExp(`[${mark}${hiddenBar}]`)

const closers: Readonly<Record<Opener, string>> = { $: '$', $$: '$$', '\\(': '\\)', '\\[': '\\]' }

/** `source` is that of one block. */
export function normalizeMath(source: string): string {
  if (!mayHaveMath(source) || isCode(source)) return source
  const { spans } = formulasIn(source)
  const text = withHiddenBars(source, spans)
  let normalized = ''
  let copied = 0
  for (const span of spans) {
    normalized += withBrokenRuns(text.slice(copied, span.start)) + (span.isBlock ? fenced(text, span) : inline(text, span))
    copied = span.isBlock ? afterSpaces(text, span.end) : span.end
  }
  return normalized + withBrokenRuns(text.slice(copied))
}

function isCode(text: string): boolean {
  const firstLine = /^.*\S.*$/m.exec(text)?.[0] ?? ''
  return indentOf(firstLine) >= 4 || fenceAt(firstLine) !== null
}

const withBrokenRuns = (text: string): string => text.replace(/\$(?=\$)/g, `$$${mark}`)

const inline = (text: string, { start, end, opener }: FormulaSpan): string =>
  openingOf(opener) + withBrokenRuns(text.slice(start + opener.length, end - opener.length)) + closingOf(closers[opener])

/** remark-math closes a block formula only by a line of dollars in the same container. */
function fenced(text: string, { start, end, isClosed }: FormulaSpan): string {
  const body = text.slice(start + 2, isClosed ? end - 2 : end)
  const fence = '$'.repeat(Math.max(1, ...Array.from(body.matchAll(/\$+/g), ([run]) => run.length)) + 1)
  if (!isClosed) return fence + body
  const before = text.slice(0, start)
  const prefix = before.trim() === '' ? '' : before.slice(before.lastIndexOf('\n') + 1).replace(/[^\t>]/g, ' ')
  const content = body.replace(prefix === '' ? /\n[ \t]*$/ : /\n[ \t>]*$/, '')
  return `${fence}${content}\n${prefix}${fence}${isLineEnd(text, afterSpaces(text, end)) ? '' : `\n${prefix}`}`
}

/** A remark plugin: gives formulas their kind and number, and all other text its original dollars and backslashes. */
export const formulas =
  () =>
  (tree: Root, file: { toString(): string }): void =>
    new FormulaRestorer(String(file)).visit(tree)

class FormulaRestorer {
  readonly #source: string
  #count = 0

  constructor(source: string) {
    this.#source = source
  }

  visit(parent: Parent): void {
    const children = parent.children as Nodes[]
    children.forEach((child, index) => {
      if (child.type === 'math') this.#show(child, child.value.trim(), this.#isClosed(child) ? 'display' : 'open')
      else if (child.type === 'inlineMath') this.#showInline(child, parent, index)
      else restore(child)
      if ('children' in child) this.visit(child)
    })
  }

  #isClosed({ position }: BlockMath): boolean {
    return /\n[ \t>]*\${2,}[ \t]*$/.test(this.#source.slice(position?.start.offset, position?.end.offset))
  }

  #showInline(node: InlineMath, parent: Parent, index: number): void {
    const [, opener, marked = ''] = formulaPattern.exec(node.value) ?? []
    const value = marked.replaceAll(mark, '').replaceAll(hiddenBar, '|').trim()
    const isDisplay = opener === '\\[' || (opener === '$$' && isOnOwnLines(parent, index))
    // A bar in a table cell may be escaped, also in code and formulas.
    this.#show(node, parent.type === 'tableCell' ? value.replaceAll('\\|', '|') : value, isDisplay ? 'display' : 'inline')
  }

  #show(node: InlineMath | BlockMath, value: string, kind: MathKind): void {
    node.data = { hName: 'code', hProperties: { 'data-math': kind, 'data-number': this.#count }, hChildren: [{ type: 'text', value }] }
    this.#count += 1
  }
}

/** Inside a sentence, a `$$…$$` formula stays inline. */
const isOnOwnLines = ({ type, children }: Parent, index: number): boolean =>
  type === 'paragraph' && endsLine(children[index - 1]) && beginsLine(children[index + 1])

const endsLine = (before: Nodes | undefined): boolean =>
  before === undefined || before.type === 'break' || (before.type === 'text' && /\n[ \t]*$/.test(before.value))

const beginsLine = (after: Nodes | undefined): boolean =>
  after === undefined || after.type === 'break' || (after.type === 'text' && /^[.,;:]?[ \t]*(?:\n|$)/.test(after.value))

const textFields = ['value', 'url', 'title', 'alt', 'lang', 'meta'] as const

function restore(node: Nodes): void {
  const fields = node as Partial<Record<(typeof textFields)[number], unknown>>
  for (const field of textFields) {
    const text = fields[field]
    if (typeof text === 'string' && inserted.test(text)) fields[field] = text.replace(rewritten, '$1$2').replaceAll(hiddenBar, '|')
  }
}
