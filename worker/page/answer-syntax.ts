/**
 * The syntax of answers for the parser of pages, as `web/ui/markdown/syntax.ts` defines it for the app: emphasis next to Chinese, Japanese and
 * Korean punctuation, addresses, tags and formulas. A formula is shown as its source, as in the app until it is drawn.
 */
import type { MarkdownIt, StateBlock, StateCore, StateInline, Token } from 'markdown-it'
import cjkFriendly from 'markdown-it-cjk-friendly'
import { addressAt, piecesOf } from '../../web/ui/streaming-markdown/addresses.ts'
import { hiddenBar, withHiddenBars } from '../../web/ui/streaming-markdown/formula-bars.ts'
import { endOfMath, fencedMath, mathFenceAt } from '../../web/ui/streaming-markdown/math-rules.ts'
import { type FormulaSpan, formulasIn } from '../../web/ui/streaming-markdown/math-spans.ts'
import { pairsOf, tagOf } from '../../web/ui/streaming-markdown/tags.ts'

export function addAnswerSyntax(markdown: MarkdownIt): void {
  markdown.use(cjkFriendly)
  // Tags become tokens, which `drawTags` draws or turns into text. HTML of the answer is never written as it is.
  markdown.set({ html: true }).disable('html_block')
  const { block, inline, core, renderer, utils } = markdown
  core.ruler.after('normalize', 'hidden-bars', (state) => {
    state.src = withHiddenBars(state.src)
  })
  block.ruler.before('fence', 'formula', blockFormula, { alt: ['paragraph', 'reference', 'blockquote', 'list'] })
  inline.ruler.before('escape', 'formula', inlineFormula)
  inline.ruler.before('linkify', 'address', address)
  inline.ruler.before('strikethrough', 'tildes', tildes)
  core.ruler.push('tags', drawTags)
  core.ruler.push('formulas', showFormulas)
  core.ruler.push('addresses', linkAddresses)
  renderer.rules.html_inline = (tokens, index) => utils.escapeHtml(tokens[index]?.content ?? '')
  renderer.rules.formula = (tokens, index) => {
    const { block: isBlock, content } = tokens[index] as Token
    return `<code${isBlock ? ' class="md-math-source"' : ''}>${utils.escapeHtml(content)}</code>`
  }
}

function blockFormula(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const lineAt = (line: number) => state.getLines(line, line + 1, state.blkIndent, false)
  const opener = mathFenceAt(lineAt(startLine))
  if (!opener) return false
  let line = startLine + 1
  const isInside = () => line < endLine && (state.isEmpty(line) || (state.sCount[line] ?? 0) >= state.blkIndent)
  while (isInside() && endOfMath(lineAt(line), opener) === -1) line += 1
  const next = isInside() ? line + 1 : line
  const formula = fencedMath(state.getLines(startLine, next, state.blkIndent, false))
  // Text after the end is read with the formula as one paragraph.
  if (formula?.rest !== '') return false
  if (silent) return true
  const token = state.push('formula', 'code', 0)
  token.block = true
  token.content = formula.value
  state.line = next
  return true
}

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
    token.block = isBlock || opener === '\\['
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
  for (const { children } of state.tokens) {
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
  for (const [index, { children, content }] of state.tokens.entries()) {
    const paragraph = state.tokens.slice(index - 1, index + 2)
    if (!/^\s*</.test(content) || !children || children.some(isShown) || paragraph[0]?.type !== 'paragraph_open') continue
    for (const token of paragraph) Object.assign(token, { hidden: true, children: [] })
  }
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
function showFormulas({ tokens, src }: StateCore): void {
  for (const [index, token] of tokens.entries()) {
    const children = token.children ?? []
    for (const [at, child] of children.entries()) {
      if (child.type !== 'formula' || child.markup !== '$$' || tokens[index - 1]?.type !== 'paragraph_open') continue
      const [before, after, next] = [children[at - 1], children[at + 1], children[at + 2]]
      child.block ||= isBreak(before) && (isBreak(after) || (/^[.,;:]?[ \t]*$/.test(after?.content ?? 'x') && isBreak(next)))
    }
    if (src.includes(hiddenBar)) for (const shown of [token, ...children]) restoreBars(shown)
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
