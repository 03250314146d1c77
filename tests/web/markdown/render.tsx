// Answers as HTML: drawn block by block, as the page does, or by one run of the parser, which is what it must look like.
import { renderToStaticMarkup } from 'react-dom/server'
import ReactMarkdown from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { closedDiagrams } from '../../../web/ui/markdown/diagram.tsx'
import { directions } from '../../../web/ui/markdown/directions.ts'
import { elements } from '../../../web/ui/markdown/elements.tsx'
import { htmlAsText } from '../../../web/ui/markdown/html-as-text.ts'
import { mathSyntax } from '../../../web/ui/markdown/math-syntax.ts'
import { RichMarkdown } from '../../../web/ui/markdown/rich-markdown.tsx'

/** The parser puts a line break between blocks, which no browser shows. */
const comparable = (html: string): string => html.trim().replace(/>\n+</g, '><')

export const byBlocks = (text: string, isGrowing = false): string =>
  comparable(withoutRuns(renderToStaticMarkup(<RichMarkdown text={text} isGrowing={isGrowing} sources={[]} />)))

/** Blocks stand in runs, for speed alone: margins collapse through them. */
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
