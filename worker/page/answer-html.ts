/**
 * The Markdown of an answer as HTML for the first paint, with the elements and classes that `web/ui/markdown/` draws. A page is
 * served with at most 16 KB of messages, which take a few milliseconds. The page itself draws formulas, diagrams, citations and colours.
 */
import MarkdownIt from 'markdown-it'

/** `html: false` shows tags as text. The rules below write no address: the first paint has no links, and an image could cause a request. */
const markdown = new MarkdownIt({ html: false, maxNesting: 20 })
const { rules } = markdown.renderer
const { escapeHtml } = markdown.utils

rules.s_open = () => '<del>'
rules.s_close = () => '</del>'
rules.link_open = () => '<a>'
rules.image = (tokens, index, _options, env) => `<span>${escapeHtml(tokens[index]?.content || String(env?.imageName))}</span>`
rules.table_open = () => '<div class="md-table"><table>'
rules.table_close = () => '</table></div>'
rules.code_block = (tokens, index) => codeBlock('', tokens[index]?.content ?? '')
rules.fence = (tokens, index) => codeBlock(tokens[index]?.info.split(/\s/)[0] ?? '', tokens[index]?.content ?? '')

/** The empty box has the height of the buttons. */
const codeBlock = (language: string, code: string): string =>
  `<div class="md-code"><div class="md-code-head"><span class="truncate">${escapeHtml(language || 'text')}</span><span class="size-7"></span></div>` +
  `<pre><code>${escapeHtml(code.replace(/\n$/, ''))}</code></pre></div>`

/** Chosen: longer texts do not fit on one line of a narrow column. `web/ui/markdown/elements.tsx` has the same number. */
const wrappedChars = 24

// Sets the direction of each block, and marks cells with long texts.
markdown.core.ruler.push('attributes', ({ tokens }) => {
  for (const [index, token] of tokens.entries()) {
    if (/^(?:paragraph|heading|t[hd])_open$/.test(token.type)) token.attrSet('dir', 'auto')
    const text = tokens[index + 1]?.children?.reduce((chars, { content }) => chars + content.length, 0) ?? 0
    if (/^t[hd]_open$/.test(token.type)) token.attrs = text > wrappedChars ? [['data-wraps', 'true']] : []
  }
})

/** `imageName` stands for an image without a description. */
export const answerHtml = (text: string, imageName: string): string => markdown.render(text, { imageName })
