/** A table as Markdown, HTML and CSV. No side effects. */
import type { Element, ElementContent } from 'hast'
import { wordJoiner } from './element-tree.ts'
import { isFootnoteAnchor, safeHref } from './safe-url.ts'

declare module 'hast' {
  interface ElementData {
    /** Of a cell: its Markdown. */
    source?: string
  }
}

/** With the pipes escaped, and the citations that the text has. */
export function tableMarkdown(table: Element): string {
  const [head = [], ...rows] = rowsOf(table)
  const lineOf = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const sourceOf = ({ data }: Element) => (data?.source ?? '').replaceAll('|', '\\|')
  return [lineOf(head.map(sourceOf)), lineOf(head.map(ruleOf)), ...rows.map((row) => lineOf(row.map(sourceOf)))].join('\n')
}

const rules: Readonly<Record<string, string>> = { left: ':--', center: ':-:', right: '--:' }

const ruleOf = (cell: Element): string => rules[alignOf(cell) ?? ''] ?? '---'

/** Programs that paste tables read the HTML. Citations are left out, so that a cell with a number stays a number. */
export function tableHtml(table: Element): string {
  const rows = rowsOf(table).map((row) => `<tr>${row.map(cellHtml).join('')}</tr>`)
  const dir = table.properties.dir === 'rtl' ? ' dir="rtl"' : ''
  return `<table${dir}><thead>${rows[0] ?? ''}</thead><tbody>${rows.slice(1).join('')}</tbody></table>`
}

function cellHtml(cell: Element): string {
  const align = alignOf(cell)
  return `<${cell.tagName}${align ? ` style="text-align:${align}"` : ''}>${cell.children.map(html).join('').trim()}</${cell.tagName}>`
}

const kept: ReadonlySet<string> = new Set(['strong', 'em', 'del', 'code', 'sub', 'sup', 'u', 'kbd', 'mark'])

function html(node: ElementContent): string {
  if (node.type !== 'element') return escaped(textOf(node))
  if (isReference(node)) return ''
  const { tagName, properties, children } = node
  // Otherwise Excel starts another row.
  if (tagName === 'br') return '<br style="mso-data-placement:same-cell">'
  if (tagName === 'img') return escaped(String(properties.alt ?? ''))
  const inner = children.map(html).join('')
  const href = tagName === 'a' ? safeHref(String(properties.href ?? '')) : null
  if (href) return `<a href="${escaped(href)}">${inner}</a>`
  return kept.has(tagName) ? `<${tagName}>${inner}</${tagName}>` : inner
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const startsFormula = /^[=+\-@\t\r]/
const isNumber = /^[+-]?[\d.,\s]*\d\s?[%\p{Sc}]?$/u

const withoutFormula = (cell: string): string => (startsFormula.test(cell) && !isNumber.test(cell) ? `'${cell}` : cell)

/** As in RFC 4180. A spreadsheet reads a cell with an apostrophe in front as text: an answer may repeat a formula of a page that it read. */
export const tableCsv = (table: Element): string =>
  rowsOf(table)
    .map((row) => `${row.map((cell) => quoted(withoutFormula(cell.children.map(plain).join('').trim()))).join(',')}\r\n`)
    .join('')

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** A line break is an element and the text of one. */
function plain(node: ElementContent): string {
  if (node.type !== 'element') return textOf(node)
  if (isReference(node)) return ''
  if (node.tagName === 'img') return String(node.properties.alt ?? '')
  return node.children.map(plain).join('')
}

/** Without the joiner of a citation, which is left out. */
const textOf = (node: ElementContent): string => (node.type === 'text' && node.value !== wordJoiner ? node.value : '')

/** A citation, or the number of a footnote. */
const isReference = ({ tagName, properties, children }: Element): boolean =>
  properties['data-citation'] !== undefined ||
  (tagName === 'sup' && children.some((child) => child.type === 'element' && isFootnoteAnchor(String(child.properties.href ?? ''))))

const elementsIn = ({ children }: Element): readonly Element[] => children.filter((child) => child.type === 'element')

/** The cells of each row. The first row is the head. */
const rowsOf = (table: Element): readonly (readonly Element[])[] => elementsIn(table).flatMap(elementsIn).map(elementsIn)

const alignOf = ({ properties }: Element): string | undefined => /^text-align:\s*(\w+)$/.exec(String(properties.style ?? ''))?.[1]
