/**
 * The Markdown of an answer as HTML, with the elements and classes that `web/ui/markdown/` draws: for the first paint and for shared pages.
 * Neither loads an image, because its address could be of any server. First paints leave formulas, citations, footnotes, tasks and colours to
 * the app. Shared pages draw them without a script, except diagrams.
 */
import MarkdownIt, { type Token } from 'markdown-it'
import { isDiagram, languageName } from '../../web/ui/code-colours/language-names.ts'
import { addAnswerSyntax, addTasks, type MathKind } from '../../web/ui/streaming-markdown/answer-syntax.ts'
import { allowedWork, workOf } from '../../web/ui/streaming-markdown/formula-limits.ts'
import { colouredCode, colouredLanguage } from './code-colours.ts'
import { addDrawnFootnotes, type FootnotesEnv } from './footnotes.ts'
import { formulaHtml } from './formula-html.ts'

/** `imageName` stands for an image without a description. */
type Env = { readonly imageName: string }
/** `sources`: addresses of the sources of an answer by number. */
type SharedEnv = Env &
  FootnotesEnv & {
    readonly diagram: string
    readonly done: string
    readonly notDone: string
    readonly sources: ReadonlyMap<number, string>
  }

function renderer(maxNesting: number) {
  const markdown = new MarkdownIt()
  addAnswerSyntax(markdown, maxNesting)
  const { rules } = markdown.renderer
  rules.s_open = () => '<del>'
  rules.s_close = () => '</del>'
  rules.image = (tokens, index, _options, env) =>
    // Every call of `render` passes it.
    `<span>${escapeHtml(tokens[index]?.content || (env as Env).imageName)}</span>`
  rules.table_open = () => '<div class="md-table"><table>'
  rules.table_close = () => '</table></div>'
  rules.code_block = (tokens, index) => codeBlock('', tokens[index]?.content ?? '')
  rules.fence = (tokens, index) => codeBlock(languageIn(tokens[index] as Token), tokens[index]?.content ?? '')
  // Sets the direction of each block and the alignment of cells, and marks cells with long texts. The policy of shared pages allows no styles.
  markdown.core.ruler.push('attributes', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      if (/^(?:paragraph|heading|t[hd])_open$/.test(token.type)) token.attrSet('dir', 'auto')
      const text = tokens[index + 1]?.children?.reduce((chars, { content }) => chars + content.length, 0) ?? 0
      if (!/^t[hd]_open$/.test(token.type)) continue
      const align = /^text-align:(\w+)$/.exec(String(token.attrGet('style')))?.[1]
      token.attrs = text > wrappedChars ? [['data-wraps', 'true']] : []
      if (align !== undefined) token.attrSet('data-align', align)
    }
  })
  return markdown
}

const { escapeHtml } = new MarkdownIt().utils

const codeBlock = (language: string, code: string): string => framedCode(languageName(language), escapeHtml(withoutLastBreak(code)))

/** The empty box has the height of the buttons. */
const framedCode = (name: string, codeHtml: string, isTabStop = false): string =>
  `<div class="md-code"><div class="md-code-head"><span class="truncate">${escapeHtml(name)}</span><span class="size-7"></span></div>` +
  `<pre${isTabStop ? ' tabindex="0"' : ''}><code>${codeHtml}</code></pre></div>`

const withoutLastBreak = (code: string): string => code.replace(/\n$/, '')
const languageIn = ({ info }: Token): string => info.split(/\s/)[0] ?? ''

/** Chosen: longer texts do not fit on one line of a narrow column. `web/ui/markdown/elements.tsx` has the same number. */
const wrappedChars = 24

/** A page is served with at most 16 KB of messages, which take a few milliseconds. It has no links. */
const firstPaint = renderer(20)
firstPaint.renderer.rules.link_open = () => '<a>'
// On a touch screen the empty line has the height of the buttons.
firstPaint.renderer.rules.table_open = () => '<div class="md-table-frame"><div class="md-table-tools"></div><div class="md-table"><table>'
firstPaint.renderer.rules.table_close = () => '</table></div></div>'

export const answerHtml = (text: string, imageName: string): string => firstPaint.render(text, { imageName } satisfies Env)

/** Chosen: deeper than a real answer. */
const shared = renderer(60)
addDrawnFootnotes(shared)
// A citation inside of a link stays text, because links do not nest.
shared.core.ruler.push('linked-text', ({ tokens }) => {
  for (const { children } of tokens) {
    let isLinked = false
    for (const child of children ?? []) {
      if (/^link_(?:open|close)$/.test(child.type)) isLinked = child.type === 'link_open'
      else if (isLinked && child.type === 'text') child.type = 'linked_text'
    }
  }
})
shared.renderer.rules.linked_text = (tokens, index) => escapeHtml(tokens[index]?.content ?? '')
shared.renderer.rules.link_open = (tokens, index) => {
  const href = webAddress(String(tokens[index]?.attrGet('href') ?? ''))
  return href === null ? '<a>' : `<a href="${escapeHtml(href)}" rel="${untrustedLinkRel}">`
}

addTasks(shared)
shared.renderer.rules.checkbox = (tokens, index, options, env, self) => {
  const { done, notDone } = env as SharedEnv
  tokens[index]?.attrSet('aria-label', tokens[index].attrGet('checked') === null ? notDone : done)
  return self.renderToken(tokens, index, options)
}

/** For links in texts of users and models. */
export const untrustedLinkRel = 'nofollow ugc noopener noreferrer'

/** Null for other schemes, and for a path, which would open a page of our own. */
export function webAddress(url: string): string | null {
  if (!URL.canParse(url)) return null
  const { protocol, href } = new URL(url)
  return protocol === 'https:' || protocol === 'http:' || protocol === 'mailto:' ? href : null
}

/** [1] and [1, 2] link to the sources of the answer. A number without a source stays text. */
export const citationPattern = /\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]/g
shared.renderer.rules.text = (tokens, index, _options, env) => {
  const { sources } = env as SharedEnv
  return escapeHtml(tokens[index]?.content ?? '').replace(citationPattern, (group: string, numbers: string) => {
    const pills = numbers.split(',').flatMap((number) => citation(Number(number), sources.get(Number(number))))
    return pills.length === 0 ? group : pills.join('')
  })
}

const citation = (number: number, href: string | undefined): string[] =>
  href === undefined ? [] : [`<a href="${escapeHtml(href)}" rel="${untrustedLinkRel}" class="md-citation">${number}</a>`]

shared.renderer.rules.fence = (tokens, index, _options, env) => {
  const token = tokens[index] as Token
  const name = isDiagram(languageIn(token)) ? (env as SharedEnv).diagram : languageName(languageIn(token))
  // A block that scrolls must be reachable by keyboard.
  const isTabStop = token.content.split('\n').some(({ length }) => length > phoneChars)
  return framedCode(name, drawnIn(token) ?? escapeHtml(withoutLastBreak(token.content)), isTabStop)
}

/** Chosen: as many fit on a line of code on a phone. */
const phoneChars = 40

const sourceOfFormula = shared.renderer.rules.formula
shared.renderer.rules.formula = (tokens, index, ...rest) =>
  drawnIn(tokens[index] as Token) ?? sourceOfFormula?.(tokens, index, ...rest) ?? ''

/** What a page may still draw. Content that does not fit is shown as it was written. */
export type DrawingAllowance = { codeChars: number; formulaWork: number }

/** Chosen: 1,000 lines of code and the formulas of a chapter. Hostile ones take 0.4 and 0.3 seconds. */
export const drawingAllowance = (): DrawingAllowance => ({ codeChars: 40_000, formulaWork: allowedWork })

/** HTML of a token that was drawn before rendering, because its library loads on demand. */
const drawnIn = ({ meta }: Token): string | undefined => (meta as { readonly drawn?: string } | null)?.drawn

async function draw(tokens: readonly Token[], allowance: DrawingAllowance): Promise<void> {
  for (const token of tokens.flatMap((block) => [block, ...(block.children ?? [])])) {
    const drawn =
      token.type === 'formula'
        ? await drawnFormula(token.content, (token.meta as { readonly kind: MathKind }).kind, allowance)
        : token.type === 'fence' && !isDiagram(languageIn(token))
          ? await drawnCode(withoutLastBreak(token.content), languageIn(token), allowance)
          : null
    if (drawn !== null) token.meta = { drawn }
  }
}

async function drawnFormula(source: string, kind: MathKind, allowance: DrawingAllowance): Promise<string | null> {
  const work = workOf(source)
  if (kind === 'open' || work > allowance.formulaWork) return null
  allowance.formulaWork -= work
  return formulaHtml(source, kind === 'display')
}

async function drawnCode(code: string, name: string, allowance: DrawingAllowance): Promise<string | null> {
  const language = colouredLanguage(code, name)
  if (language === null || code.length > allowance.codeChars) return null
  allowance.codeChars -= code.length
  const pieces = await colouredCode(code, language)
  if (pieces === null) return null
  return pieces
    .map(({ className, text }) => (className ? `<span class="${escapeHtml(className)}">${escapeHtml(text)}</span>` : escapeHtml(text)))
    .join('')
}

export async function sharedAnswerHtml(text: string, env: Omit<SharedEnv, 'footnotes'>, allowance: DrawingAllowance): Promise<string> {
  const sharedEnv: SharedEnv = { ...env, footnotes: new Set() }
  const tokens = shared.parse(text, sharedEnv)
  await draw(tokens, allowance)
  return shared.renderer.render(tokens, shared.options, sharedEnv)
}
