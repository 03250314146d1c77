// Answers as HTML: rendered block by block as on the page, or by one run of the parser as the reference.
import { renderToStaticMarkup } from 'react-dom/server'
import ReactMarkdown from 'react-markdown'
import remarkMath from 'remark-math'
import { closedDiagrams } from '../../../web/ui/markdown/diagram.tsx'
import { directions } from '../../../web/ui/markdown/directions.ts'
import { elements } from '../../../web/ui/markdown/elements.tsx'
import { htmlAsText } from '../../../web/ui/markdown/html-as-text.ts'
import { formulas, normalizeMath } from '../../../web/ui/markdown/math.ts'
import { RichMarkdown } from '../../../web/ui/markdown/rich-markdown.tsx'
import { addressLinks, answerSyntax } from '../../../web/ui/markdown/syntax.ts'
import { emptySplit, splitBlocks } from '../../../web/ui/streaming-markdown/blocks.ts'

/** The parser adds a line break between blocks, which browsers do not show. */
const comparable = (html: string): string => html.trim().replace(/>\n+</g, '><')

export const byBlocks = (text: string, isGrowing = false): string =>
  comparable(withoutGroups(renderToStaticMarkup(<RichMarkdown text={text} isGrowing={isGrowing} sources={[]} />)))

/** Blocks are grouped in wrappers for speed; margins collapse through them. */
const withoutGroups = (html: string): string =>
  html.replace(/^<div class="md-group">|<\/div>$/g, '').replaceAll('</div><div class="md-group">', '')

/** A formula cannot span blocks, so each block is normalized alone. */
const withNormalMath = (text: string): string => {
  const split = splitBlocks(emptySplit, text)
  return split.blocks.reduceRight(
    (rest, { start, source, fence }) => (fence ? rest : rest.slice(0, start) + normalizeMath(source) + rest.slice(start + source.length)),
    split.text,
  )
}

export const atOnce = (text: string): string =>
  comparable(
    renderToStaticMarkup(
      <ReactMarkdown
        remarkPlugins={[...answerSyntax, [remarkMath, { singleDollarTextMath: false }], formulas, closedDiagrams, addressLinks, htmlAsText]}
        rehypePlugins={[directions]}
        components={elements}
        urlTransform={(url) => url}
      >
        {withNormalMath(text)}
      </ReactMarkdown>,
    ),
  )
