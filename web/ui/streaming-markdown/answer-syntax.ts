/**
 * The syntax of answers, in the app, in first paints and on shared pages: CommonMark with tables and struck text as models write it. Emphasis
 * works next to Chinese, Japanese and Korean punctuation, only two tildes strike out, addresses follow addresses.ts, HTML is never a block, and
 * formulas follow math-rules.ts.
 */
import Parser, { type MarkdownIt, type StateBlock, type StateCore, type StateInline, type Token } from 'markdown-it'
import cjkFriendly from 'markdown-it-cjk-friendly'
import { addressAt, piecesOf } from './addresses.ts'
import { endOfMath, leavesDollarsOpen, mathFenceAt, maxFormulaChars } from './math-rules.ts'
import { codeSpansIn, type FormulaSpan, formulasIn, replacedSpans } from './math-spans.ts'

/** Blocks at `maxNesting` levels are shown as code. */
export function addAnswerSyntax(markdown: MarkdownIt, maxNesting: number): void {
  markdown.use(cjkFriendly)
  // Tags become tokens, which `drawTags` draws or turns into text. HTML of the answer is never written as it is.
  // The parser drops blocks at its own limit. A list opens two levels at once.
  markdown.set({ html: true, maxNesting: maxNesting + 2 }).disable('html_block')
  const { block, inline, core, renderer, utils } = markdown
  block.ruler.before('table', 'too-deep', (state, startLine, endLine) => {
    if (state.level < maxNesting) return false
    state.line = startLine + 1
    while (state.line < endLine && (state.isEmpty(state.line) || (state.sCount[state.line] ?? 0) >= state.blkIndent)) state.line += 1
    state.push('code_block', 'code', 0).content = state.getLines(startLine, state.line, state.blkIndent, false).trimEnd()
    return true
  })
  block.ruler.at('table', table, { alt: ['paragraph', 'reference'] })
  block.ruler.before('fence', 'markdown-fence', markdownFence, { alt: ['paragraph', 'reference', 'blockquote', 'list'] })
  block.ruler.before('fence', 'formula', blockFormula, { alt: ['paragraph', 'reference', 'blockquote', 'list'] })
  inline.ruler.before('escape', 'formula', inlineFormula)
  inline.ruler.before('linkify', 'address', address)
  inline.ruler.before('strikethrough', 'tildes', tildes)
  core.ruler.push('tags', drawTags)
  core.ruler.push('formulas', showFormulas)
  core.ruler.push('addresses', linkAddresses)
  renderer.rules.html_inline = (tokens, index) => utils.escapeHtml(tokens[index]?.content ?? '')
  renderer.rules.formula = (tokens, index) => {
    const { meta, content } = tokens[index] as Token
    return `<code${(meta as FormulaMeta).kind === 'inline' ? '' : ' class="md-math-source"'}>${utils.escapeHtml(content)}</code>`
  }
}

const lineAt = (state: StateBlock, line: number): string => state.getLines(line, line + 1, state.blkIndent, false)

const [tableOfParser] = new Parser('zero').enable('table').block.ruler.getRules('')

/** `toLine`: the line after those whose bars are hidden. Each line is read once. */
const hiddenByState = new WeakMap<StateBlock, { readonly toLine: number; readonly src: string }>()

/** A table, with the bars of its formulas hidden. Other blocks are read as written. */
function table(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (startLine + 1 >= endLine) return false
  const written = state.src
  if (isDelimiterRow(lineAt(state, startLine + 1).trimStart())) state.src = hiddenBars(state, startLine, endLine)
  const isTable = tableOfParser?.(state, startLine, endLine, silent) === true
  state.src = written
  return isTable
}

/** The source with hidden bars from this line to the next blank line. */
function hiddenBars(state: StateBlock, startLine: number, endLine: number): string {
  const { toLine, src } = hiddenByState.get(state) ?? { toLine: 0, src: state.src }
  if (startLine < toLine) return src
  let next = startLine + 2
  while (next < endLine && !state.isEmpty(next)) next += 1
  const [start = 0, end = 0] = [state.bMarks[startLine], state.eMarks[next - 1]]
  const hidden = src.slice(0, start) + withHiddenBars(src.slice(start, end)) + src.slice(end)
  hiddenByState.set(state, { toLine: next, src: hidden })
  return hidden
}

/**
 * A fence of Markdown. Models put code blocks with fences of the same length into it, so a fence that names a language opens an inner block, which ends
 * at the next fence without one. Only the lines before decide, so a growing answer never changes what it has shown.
 */
function markdownFence(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if ((state.sCount[startLine] ?? 0) - state.blkIndent > maxIndent) return false
  const [, markup = '', info = ''] = /^(`{3,})([ \t]*(?:markdown|md|mdx)[ \t]*)$/i.exec(lineAt(state, startLine).trimStart()) ?? []
  if (markup === '') return false
  if (silent) return true
  const open = [markup.length]
  let line = startLine + 1
  for (; line < endLine && open.length > 0; line += 1) {
    if (state.isEmpty(line)) continue
    const indent = (state.sCount[line] ?? 0) - state.blkIndent
    if (indent < 0) break
    const [, run = '', language = ''] = /^(`{3,})([^`]*)$/.exec(lineAt(state, line).trimStart()) ?? []
    if (indent > maxIndent || run.length < markup.length) continue
    if (language.trim() !== '') open.push(run.length)
    else if (run.length >= (open.at(-1) ?? 0)) open.pop()
  }
  const isClosed = open.length === 0
  const token = state.push('fence', 'code', 0)
  token.info = info
  token.markup = markup
  token.content = state.getLines(startLine + 1, isClosed ? line - 1 : line, state.sCount[startLine] ?? 0, true)
  token.map = [startLine, line]
  state.line = line
  return true
}

/** A formula continues over blank lines until its end or the end of its container. Text after its end is a block of its own. */
function blockFormula(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if ((state.sCount[startLine] ?? 0) - state.blkIndent > maxIndent) return false
  const opener = mathFenceAt(lineAt(state, startLine))
  if (!opener) return false
  if (opener === '$$' && closesDollars(state, startLine)) return false
  if (silent) return true
  const lines: string[] = []
  let line = startLine + 1
  let end = -1
  let text = ''
  for (; line < endLine && (state.isEmpty(line) || (state.sCount[line] ?? 0) >= state.blkIndent); line += 1) {
    text = state.getLines(line, line + 1, state.sCount[startLine] ?? 0, false)
    end = endOfMath(text, opener)
    lines.push(end === -1 ? text : text.slice(0, end))
    if (end !== -1) break
  }
  const token = state.push('formula', 'code', 0)
  token.block = true
  token.content = lines.join('\n').trim()
  token.meta = { kind: end === -1 ? 'open' : 'display' } satisfies FormulaMeta
  token.map = [startLine, Math.min(line + 1, endLine)]
  const rest = text.slice(end + opener.length)
  if (end === -1 || isBlank(rest)) state.line = Math.min(line + (end === -1 ? 0 : 1), endLine)
  else {
    const start = (state.eMarks[line] ?? 0) - rest.length
    state.bMarks[line] = start
    state.tShift[line] = rest.length - rest.trimStart().length
    state.sCount[line] = state.blkIndent
    state.line = line
  }
  return true
}

/** Two open dollars of a paragraph that this line would end. No other line decides how a block begins, so each block is read alone. */
function closesDollars({ parentType, src, bMarks, line: paragraphLine }: StateBlock, line: number): boolean {
  if (parentType !== 'paragraph') return false
  const end = bMarks[line] ?? 0
  return leavesDollarsOpen(src.slice(Math.max(bMarks[paragraphLine] ?? 0, end - maxFormulaChars), end))
}

/** Columns. A line with more is code. */
const maxIndent = 3

/** `open`: its end has not arrived, so its source is shown. */
export type MathKind = 'inline' | 'display' | 'open'
type FormulaMeta = { readonly kind: MathKind }

const spansByState = new WeakMap<StateInline, ReadonlyMap<number, FormulaSpan>>()

const spansOf = (state: StateInline): ReadonlyMap<number, FormulaSpan> => {
  const spans = spansByState.get(state) ?? new Map(formulasIn(state.src).spans.map((span) => [span.start, span]))
  spansByState.set(state, spans)
  return spans
}

function inlineFormula(state: StateInline, silent: boolean): boolean {
  if (!/[\\$]/.test(state.src.charAt(state.pos))) return false
  const span = spansOf(state).get(state.pos)
  if (!span || span.end > state.posMax) return false
  const { start, end, opener, isBlock, isClosed } = span
  if (!silent) {
    const token = state.push('formula', 'code', 0)
    token.content = state.src.slice(start + opener.length, isClosed ? end - opener.length : end).trim()
    token.markup = opener
    token.meta = { kind: isBlock || opener === '\\[' ? 'display' : 'inline' } satisfies FormulaMeta
  }
  state.pos = end
  return true
}

/** An address of the web. The text before its colon is already read. */
function address(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax, linkLevel } = state
  if (src.charAt(pos) !== ':' || linkLevel > 0) return false
  const scheme = /(?<![a-z\d])https?$/i.exec(src.slice(Math.max(0, pos - 'https'.length - 1), pos))?.[0] ?? ''
  const found = scheme === '' ? null : addressAt(src.slice(pos - scheme.length, posMax))
  if (found === null || (!silent && !state.pending.endsWith(scheme))) return false
  if (!silent) {
    state.pending = state.pending.slice(0, -scheme.length)
    state.push('link_open', 'a', 1).attrs = [['href', found]]
    state.push('text', '', 0).content = found
    state.push('link_close', 'a', -1)
  }
  state.pos += found.length - scheme.length
  return true
}

/** A run of one tilde, or of more than two, is text. */
function tildes(state: StateInline, silent: boolean): boolean {
  const run = /^~+/.exec(state.src.slice(state.pos, state.posMax))?.[0] ?? ''
  if (run === '' || run.length === 2) return false
  if (!silent) state.pending += run
  state.pos += run.length
  return true
}

function drawTags(state: StateCore): void {
  const { tokens } = state
  for (const { children } of tokens) {
    if (!children?.some(({ type }) => type === 'html_inline')) continue
    const parents: Token[][] = [[]]
    for (const token of children) {
      if (token.nesting === -1) drawSiblings(parents.pop() ?? [])
      else if (token.nesting === 1) parents.push([])
      else parents.at(-1)?.push(token)
    }
    for (const siblings of parents) drawSiblings(siblings)
  }
  // A paragraph of comments and line breaks shows nothing.
  const isShown = ({ type, content }: Token): boolean => !/break$/.test(type) && content.trim() !== ''
  const isEmpty = ({ type, content, children }: Token): boolean =>
    type === 'inline' && /^\s*</.test(content) && children?.some(isShown) === false
  state.tokens = tokens.filter((token, index) => {
    const inline = token.type === 'paragraph_open' ? tokens[index + 1] : token.type === 'paragraph_close' ? tokens[index - 1] : token
    const isInParagraph = token.type !== 'inline' || tokens[index - 1]?.type === 'paragraph_open'
    return !inline || !isInParagraph || !isEmpty(inline)
  })
}

/** Tokens below one parent. */
function drawSiblings(tokens: readonly Token[]): void {
  const tags = tokens.map(({ type, content }) => (type === 'html_inline' ? tagOf(content) : null))
  const pairs = pairsOf(tags)
  const drawn = new Set([...pairs].flat())
  for (const [index, tag] of tags.entries()) {
    const token = tokens[index]
    if (!token || !tag) continue
    if (tag.kind === 'break') token.type = 'hardbreak'
    if (tag.kind === 'comment') token.content = ''
    if ((tag.kind !== 'open' && tag.kind !== 'close') || !drawn.has(index)) continue
    Object.assign(token, { type: `tag_${tag.kind}`, tag: tag.name, nesting: tag.kind === 'open' ? 1 : -1, content: '' })
  }
}

/** `$$…$$` is a block if it is alone on the lines of a paragraph. Restores the bars of formulas and of everything that looked like one. */
function showFormulas({ tokens }: StateCore): void {
  for (const [index, token] of tokens.entries()) {
    const children = token.children ?? []
    for (const [at, child] of children.entries()) {
      if (child.type !== 'formula' || child.markup !== '$$' || tokens[index - 1]?.type !== 'paragraph_open') continue
      const [before, after, next] = [children[at - 1], children[at + 1], children[at + 2]]
      const endsLine = isBreak(after) || (/^[.,;:]?[ \t]*$/.test(after?.content ?? 'x') && isBreak(next))
      if (isBreak(before) && endsLine) child.meta = { kind: 'display' } satisfies FormulaMeta
    }
    if (token.content.includes(hiddenBar)) for (const shown of [token, ...children]) restoreBars(shown)
  }
}

const isBreak = (token: Token | undefined): boolean => token === undefined || /break$/.test(token.type)

function restoreBars(token: Token): void {
  token.content = token.content.replaceAll(hiddenBar, '|')
  token.info = token.info.replaceAll(hiddenBar, '|')
  const attributes = token.attrs ?? []
  for (const [name, value] of attributes)
    token.attrSet(name, String(value).replaceAll(hiddenBar, '|').replaceAll(encodeURIComponent(hiddenBar), '%7C'))
}

/** Links the addresses that the syntax left in the text. */
function linkAddresses({ tokens, Token }: StateCore): void {
  for (const inline of tokens) {
    let isLinked = false
    inline.children =
      inline.children?.flatMap((token) => {
        if (/^link_(?:open|close)$/.test(token.type)) isLinked = token.type === 'link_open'
        return isLinked || token.type !== 'text' ? [token] : linked(token)
      }) ?? null
  }

  function linked({ content }: Token): Token[] {
    const textToken = (text: string): Token => Object.assign(new Token('text', '', 0), { content: text })
    return piecesOf(content).flatMap((piece) => {
      if (typeof piece === 'string') return textToken(piece)
      const open = new Token('link_open', 'a', 1)
      open.attrSet('href', piece.url)
      return [open, textToken(piece.text), new Token('link_close', 'a', -1)]
    })
  }
}

/** Replaces `[ ]` or `[x]` at the start of a list item by a disabled checkbox. */
export function addTasks({ core }: MarkdownIt): void {
  core.ruler.push('tasks', ({ tokens, Token }) => {
    for (const [index, item] of tokens.entries()) {
      if (item.type !== 'list_item_open' || tokens[index + 1]?.type !== 'paragraph_open') continue
      // The source, because `\[x]` has the same text.
      const { content = '', children } = tokens[index + 2] ?? {}
      const [text] = children ?? []
      const mark = /^\[([ xX])\][ \t\n]/.exec(content)?.[1]
      if (!children || text?.type !== 'text' || mark === undefined) continue
      item.attrSet('class', 'task-list-item')
      text.content = text.content.slice(3)
      const box = new Token('checkbox', 'input', 0)
      box.attrSet('type', 'checkbox')
      box.attrSet('disabled', '')
      if (mark !== ' ') box.attrSet('checked', '')
      children.unshift(box)
    }
  })
}

/*
 * Bars of formulas and of code in tables. A bar divides cells, so those inside of formulas are replaced before a parser reads the text, and those
 * inside of code if its row would have more cells than its table: the parser drops the cells beyond.
 */

/** Stands for a bar. Unicode reserves this code point for the internal use of a program. */
const hiddenBar = '\ufdd1'

const unescapedBar = /(?<!\\)\|/g

/** The text with the same length and hidden bars. A formula of a table is in one row. */
function withHiddenBars(text: string): string {
  const lines = text.split('\n')
  const hide = (span: string) => span.replace(unescapedBar, hiddenBar)
  const hiddenLines = lines.map((line) => replacedSpans(line, formulasIn(line).spans, hide))
  let columns: number | null = null
  for (const [index, line] of lines.entries()) {
    const delimiterRow = [line, lines[index + 1] ?? ''].find((row) => isDelimiterRow(withoutPrefix(row)))
    if (delimiterRow !== undefined) columns = cellsIn(delimiterRow)
    else if (isBlank(line)) columns = null
    const hidden = hiddenLines[index] ?? ''
    if (columns === null || cellsIn(hidden) === columns) continue
    // `| $5/kg | 20$ |` looks like a formula, but only the bars as written give the row the columns of its table.
    if (cellsIn(line) === columns) hiddenLines[index] = line
    else if (cellsIn(hidden) > columns) {
      const inCode = replacedSpans(hidden, codeSpansIn(hidden), hide)
      if (cellsIn(inCode) === columns) hiddenLines[index] = inCode
    }
  }
  return hiddenLines.join('\n')
}

/** Without the markers of quotes and list items. */
const withoutPrefix = (line: string): string => line.replace(/^(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])[ \t])+(?=[^\s>])/, '')

const cellsIn = (line: string): number =>
  withoutPrefix(line)
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(unescapedBar).length

/*
 * The HTML tags that are drawn: a few names without attributes, in pairs below one parent, and line breaks. Comments are removed. Every other
 * tag stays text. HTML never forms a block, so Markdown next to it is read.
 */

type Tag = { readonly kind: 'open' | 'close'; readonly name: string } | { readonly kind: 'break' | 'comment' | 'text' }

/** `source`: the source of one tag or comment. */
export function tagOf(source: string): Tag {
  if (source.startsWith('<!--')) return { kind: 'comment' }
  if (/^<br\s*\/?>$/i.test(source)) return { kind: 'break' }
  const [, slash, name] = /^<(\/?)(sub|sup|kbd|mark|u)\s*>$/i.exec(source) ?? []
  return name ? { kind: slash ? 'close' : 'open', name: name.toLowerCase() } : { kind: 'text' }
}

/** The index of the closing tag by the index of its opening tag. `tags`: those below one parent; null for other content. */
function pairsOf(tags: readonly (Tag | null)[]): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>()
  const open: { readonly name: string; readonly at: number }[] = []
  const depths = new Map<string, number>()
  const change = (name: string, by: 1 | -1) => depths.set(name, (depths.get(name) ?? 0) + by)
  for (const [at, tag] of tags.entries()) {
    if (tag?.kind === 'open') {
      open.push({ name: tag.name, at })
      change(tag.name, 1)
    }
    if (tag?.kind !== 'close' || (depths.get(tag.name) ?? 0) === 0) continue
    // Tags inside of the pair that are still open stay text.
    for (let last = open.pop(); last; last = open.pop()) {
      change(last.name, -1)
      if (last.name !== tag.name) continue
      pairs.set(last.at, at)
      break
    }
  }
  return pairs
}

/* Lines of Markdown, by the rules of CommonMark 0.31 and GFM. */

export const isBlank = (line: string): boolean => /^[ \t]*$/.test(line)

/** Possibly the delimiter row of a table. */
export const isDelimiterRow = (line: string): boolean => /^ {0,3}[-:|][-:| \t]*$/.test(line) && /[|:]/.test(line)
