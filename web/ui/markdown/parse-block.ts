/** Parses one block of Markdown with the plugins for answers. */
import type { Root } from 'mdast'
import type { ReactElement } from 'react'
import ReactMarkdown, { type Options } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { type CitedSource, citations, citedIn } from './citations.ts'
import { onlyAfter } from './definitions.ts'
import { closedDiagrams } from './diagram.tsx'
import { directions } from './directions.ts'
import { elements } from './elements.tsx'
import { htmlAsText } from './html-as-text.ts'
import { mayHaveMath } from './math-rules.ts'
import { mathSyntax } from './math-syntax.ts'
import { isTooMuch } from './too-much.ts'

type Plugins = NonNullable<Options['remarkPlugins']>

/** Null for text that breaks the parser or takes too long: it is shown as plain text. */
export const drawnBlock = (text: string, borrowed: string, sources: readonly CitedSource[]): ReactElement | null =>
  parsed(text, borrowed, sources, [])

/** The numbers of the pills in a rendered block. */
export function citedInBlock(text: string, borrowed: string, sources: readonly CitedSource[]): readonly number[] {
  let cited: readonly number[] = []
  const read = () => (tree: Root) => {
    cited = citedIn(tree)
    tree.children = []
  }
  parsed(text, borrowed, sources, [read])
  return cited
}

/** Called as a function instead of a component, so that an error stays within the block. */
function parsed(text: string, borrowed: string, sources: readonly CitedSource[], further: Plugins): ReactElement | null {
  if (isTooMuch(text)) return null
  const children = borrowed + text
  const remarkPlugins: Plugins = [
    remarkGfm,
    ...(mayHaveMath(children) ? [mathSyntax] : []),
    [onlyAfter, { length: borrowed.length }],
    closedDiagrams,
    htmlAsText,
    [citations, sources],
    ...further,
  ]
  try {
    return ReactMarkdown({ children, remarkPlugins, rehypePlugins: [directions], components: elements, urlTransform: asWritten })
  } catch {
    return null
  }
}

/** elements.tsx validates addresses when it renders them. */
const asWritten = (url: string): string => url
