/** Components for elements that need more than a style: links, images, code, cells of tables, task checkboxes. */
import type { Element } from 'hast'
import type { Components } from 'hast-util-to-jsx-runtime'
import { ImageIcon } from 'lucide-react'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import type { MathKind } from '../streaming-markdown/answer-syntax.ts'
import { tooltip } from '../tooltip.tsx'
import { CodeBlock } from './code-block.tsx'
import { Diagram } from './diagram.tsx'
import { Formula } from './formula.tsx'
import { isFootnoteAnchor, isOwnImage, safeHref } from './safe-url.ts'
import { Table } from './table.tsx'
import { t } from './texts/en.ts'

export const elements: Components = {
  a: ({ href, title, children, id, ...rest }) => {
    if (isFootnoteAnchor(href))
      return (
        <a href={href} id={id}>
          {children}
        </a>
      )
    const safe = safeHref(href)
    if (!safe) return <span>{children}</span>
    if ('data-citation' in rest)
      return (
        <a
          href={safe}
          target="_blank"
          rel="noopener noreferrer"
          className="md-citation"
          aria-label={t('source', { number: String(rest['data-citation']), title: `${title} · ${citedSite(rest)}` })}
          {...tooltip(title)}
          data-tooltip-site={citedSite(rest)}
          data-tooltip-snippet={'data-snippet' in rest ? rest['data-snippet'] : undefined}
        >
          {children}
        </a>
      )
    return (
      <a href={safe} title={title} target="_blank" rel="noopener noreferrer">
        {children}
      </a>
    )
  },
  img: ({ src, alt, title }) => {
    const url = typeof src === 'string' ? src : ''
    if (isOwnImage(url)) return <img src={url} alt={alt ?? ''} title={title} loading="lazy" decoding="async" />
    const safe = safeHref(url)
    const name = alt || firstPaintText('image')
    if (!safe) return <span>{name}</span>
    return (
      <a href={safe} title={title} target="_blank" rel="noopener noreferrer" className="md-image-link">
        <ImageIcon aria-hidden="true" />
        {name} <span>{new URL(safe).host}</span>
      </a>
    )
  },
  code: ({ node, children }) => {
    const math = node?.properties['data-math'] as MathKind | undefined
    return math ? (
      <Formula source={textIn(node)} kind={math} at={Number(node?.properties['data-number'])} />
    ) : (
      <code data-short={textIn(node).length < shortCodeChars || undefined}>{children}</code>
    )
  },
  pre: ({ node }) => {
    const { code, language, isDiagram } = codeIn(node)
    return isDiagram ? <Diagram code={code} /> : <CodeBlock code={code} language={language} />
  },
  table: Table,
  th: ({ node, ...rest }) => <th {...rest} data-wraps={wraps(node)} />,
  td: ({ node, ...rest }) => <td {...rest} data-wraps={wraps(node)} />,
  input: ({ checked }) => (
    <input type="checkbox" checked={checked === true} readOnly disabled aria-label={t(checked ? 'done' : 'notDone')} />
  ),
}

/** Chosen: shorter code stays on one line, which has room for it in any window. */
const shortCodeChars = 24

const citedSite = (properties: object): string => ('data-site' in properties ? String(properties['data-site']) : '')

const codeIn = (pre: Element | undefined): { code: string; language: string; isDiagram: boolean } => {
  const code = pre?.children.find((child): child is Element => child.type === 'element' && child.tagName === 'code')
  const classes = code?.properties.className
  const language = Array.isArray(classes) ? classes.map(String).find((name) => name.startsWith('language-')) : undefined
  return {
    code: textIn(code).replace(/\n$/, ''),
    language: language?.slice('language-'.length) ?? '',
    isDiagram: code?.properties['data-diagram'] === true,
  }
}

/** Chosen: longer texts do not fit on one line of a narrow column. */
const wrappedChars = 24

const wraps = (cell: Element | undefined): true | undefined => (cell && charsIn(cell) > wrappedChars ? true : undefined)

const charsIn = (element: Element): number =>
  element.children.reduce(
    (sum, child) => sum + (child.type === 'text' ? child.value.length : child.type === 'element' ? charsIn(child) : 0),
    0,
  )

const textIn = (element: Element | undefined): string =>
  element?.children.map((child) => (child.type === 'text' ? child.value : '')).join('') ?? ''

/** Text that is not rendered as Markdown. */
export const SourceText = ({ text }: { readonly text: string }) => (
  <p dir="auto" className="whitespace-pre-wrap">
    {text}
  </p>
)
