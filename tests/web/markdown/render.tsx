// Answers as HTML: rendered block by block as on the page, or by one run of the parser as the reference.
import { renderToStaticMarkup } from 'react-dom/server'
import ReactMarkdown from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { closedDiagrams } from '../../../web/ui/markdown/diagram.tsx'
import { directions } from '../../../web/ui/markdown/directions.ts'
import { elements } from '../../../web/ui/markdown/elements.tsx'
import { htmlAsText } from '../../../web/ui/markdown/html-as-text.ts'
import { mathSyntax } from '../../../web/ui/markdown/math-syntax.ts'
import { RichMarkdown } from '../../../web/ui/markdown/rich-markdown.tsx'

/** The parser adds a line break between blocks, which browsers do not show. */
const comparable = (html: string): string => html.trim().replace(/>\n+</g, '><')

export const byBlocks = (text: string, isGrowing = false): string =>
  comparable(withoutRuns(renderToStaticMarkup(<RichMarkdown text={text} isGrowing={isGrowing} sources={[]} />)))

/** Blocks are grouped in wrappers for speed; margins collapse through them. */
const withoutRuns = (html: string): string =>
  html.replace(/^<div class="md-run">|<\/div>$/g, '').replaceAll('</div><div class="md-run">', '')

export const atOnce = (text: string): string =>
  comparable(
    renderToStaticMarkup(
      <ReactMarkdown
        remarkPlugins={[remarkGfm, mathSyntax, closedDiagrams, htmlAsText]}
        rehypePlugins={[directions]}
        components={elements}
        urlTransform={(url) => url}
      >
        {text}
      </ReactMarkdown>,
    ),
  )
