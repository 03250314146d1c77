/** The tokens of the parser as a tree of elements, which `elements.tsx` draws. */
import type { Element, ElementContent, Properties, Root } from 'hast'
import type { Token } from 'markdown-it'
import { isDiagram } from '../code-colours/language-names.ts'
import { answerParser } from '../streaming-markdown/answer-parser.ts'
import type { CitedSource } from './citations.ts'

/** `number`: of the footnote, in the order of the first references. `times`: the number of the reference to it, from 1. */
export type Note = { readonly id: string; readonly number: number; readonly times: number }

type Context = {
  readonly citationsIn: (tokens: readonly Token[]) => readonly Token[]
  readonly noteOf: (label: string) => Note
}

export function treeOf(tokens: readonly Token[], context: Context): Root {
  const builder = new TreeBuilder(context)
  builder.add(tokens)
  return builder.root
}

const text = (value: string): ElementContent => ({ type: 'text', value })

/** A citation never starts a line. */
export const wordJoiner = '\u2060'

const element = (tagName: string, properties: Properties = {}, children: ElementContent[] = []): Element => ({
  type: 'element',
  tagName,
  properties,
  children,
})

/** Deeper elements are left out, but their content is kept. Drawing is recursive. Chosen: more than the levels of blocks (`maxNesting`). */
const maxDepth = 300

class TreeBuilder {
  readonly root: Root = { type: 'root', children: [] }
  readonly #context: Context
  readonly #open: Element[] = []
  #tooDeep = 0
  #formulas = 0
  #footnotes = 0

  constructor(context: Context) {
    this.#context = context
  }

  add(tokens: readonly Token[]): void {
    for (const token of tokens) {
      if (token.type === 'footnote_open') this.#footnotes += 1
      if (this.#footnotes === 0) this.#addToken(token)
      if (token.type === 'footnote_close') this.#footnotes -= 1
    }
  }

  #addToken(token: Token): void {
    if (token.hidden) return
    if (token.type === 'inline') {
      const around = this.#open.at(-1)
      if (around?.tagName === 'td' || around?.tagName === 'th') around.data = { source: token.content }
      this.add(this.#context.citationsIn(token.children ?? []))
    } else if (token.nesting === 1 && this.#open.length === maxDepth) this.#tooDeep += 1
    else if (token.nesting === -1 && this.#tooDeep > 0) this.#tooDeep -= 1
    else if (token.nesting === 1) {
      const opened = element(token.type === 's_open' ? 'del' : token.tag, propertiesOf(token))
      this.#push(opened)
      this.#open.push(opened)
    } else if (token.nesting === -1) this.#open.pop()
    else this.#push(...this.#leavesOf(token))
  }

  #push(...nodes: ElementContent[]): void {
    ;(this.#open.at(-1) ?? this.root).children.push(...nodes)
  }

  #leavesOf(token: Token): ElementContent[] {
    const { type, content, meta, attrs, children } = token
    switch (type) {
      case 'softbreak':
        return [text('\n')]
      case 'hardbreak':
        return [element('br'), text('\n')]
      case 'code_inline':
        return [element('code', {}, [text(content)])]
      case 'code_block':
        return [element('pre', {}, [element('code', {}, [text(content)])])]
      case 'fence': {
        const language = languageOf(token)
        const className = language === '' ? undefined : [`language-${language}`]
        const isDrawn = isDiagram(language) && isClosed(token)
        return [element('pre', {}, [element('code', { className, 'data-diagram': isDrawn || undefined }, [text(content)])])]
      }
      case 'formula': {
        const number = this.#formulas
        this.#formulas += 1
        return [element('code', { 'data-math': String(meta?.kind), 'data-number': number }, [text(content)])]
      }
      case 'image':
        return [element('img', { ...Object.fromEntries(attrs ?? []), alt: altOf(children ?? []) })]
      case 'citation': {
        const { number, title, url, site, snippet } = meta as CitedSource
        const properties = { href: url, title, 'data-citation': String(number), 'data-site': site, 'data-snippet': snippet }
        return [text(wordJoiner), element('a', properties, [text(String(number))])]
      }
      case 'footnote_reference': {
        const { id, number, times } = this.#context.noteOf(String(meta?.label))
        const properties = { href: `#user-content-fn-${id}`, id: referenceId(id, times) }
        return [element('sup', {}, [element('a', properties, [text(String(number))])])]
      }
      case 'checkbox':
        return [element('input', { checked: attrs?.some(([name]) => name === 'checked') === true })]
      case 'hr':
        return [element('hr')]
      default:
        return content === '' ? [] : [text(content)]
    }
  }
}

export const referenceId = (id: string, times: number): string => `user-content-fnref-${id}${times > 1 ? `-${times}` : ''}`

const propertiesOf = ({ attrs }: Token): Properties =>
  Object.fromEntries((attrs ?? []).map(([name, value]) => (name === 'class' ? ['className', [String(value)]] : [name, value])))

export const languageOf = ({ info }: Token): string => answerParser.utils.unescapeAll(info).trim().split(/\s/)[0] ?? ''

/** The map of a closed fence has a line more than its content. */
export const isClosed = ({ content, map }: Token): boolean => {
  const lines = content === '' ? 0 : content.replace(/\n$/, '').split('\n').length
  return map !== null && map[1] - map[0] === lines + 2
}

const altOf = (tokens: readonly Token[]): string =>
  tokens.map(({ type, content, children }) => (type === 'image' ? altOf(children ?? []) : /break$/.test(type) ? '\n' : content)).join('')
