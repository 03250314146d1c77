// Answers as HTML: rendered block by block as on the page, or by one run of the parser as the reference.
import { renderToStaticMarkup } from 'react-dom/server'
import { setDirections } from '../../../web/ui/markdown/directions.ts'
import { drawn } from '../../../web/ui/markdown/drawn-block.tsx'
import { treeOf } from '../../../web/ui/markdown/element-tree.ts'
import { footnoteSection, NoteCounter } from '../../../web/ui/markdown/footnotes.ts'
import { RichMarkdown } from '../../../web/ui/markdown/rich-markdown.tsx'
import { answerParser, noDefinitions } from '../../../web/ui/streaming-markdown/answer-parser.ts'

/** The parser adds a line break between blocks, which browsers do not show. */
const comparable = (html: string): string => withoutTableTools(html.trim().replace(/>\n+</g, '><'))

/** The buttons of a table are not part of the text. The first paint has their empty place. */
export const withoutTableTools = (html: string): string =>
  html
    .replace(
      /<div class="md-table-frame"([^>]*)><div [^>]*class="md-table-tools">.*?<\/div><div class="md-table">/g,
      '<div class="md-table"$1>',
    )
    .replaceAll('</table></div></div>', '</table></div>')

export const byBlocks = (text: string, isGrowing = false): string =>
  comparable(withoutGroups(renderToStaticMarkup(<RichMarkdown text={text} isGrowing={isGrowing} sources={[]} />)))

/** Blocks are grouped in wrappers for speed; margins collapse through them. */
const withoutGroups = (html: string): string =>
  html.replace(/^<div class="md-group">|<\/div>$/g, '').replaceAll('</div><div class="md-group">', '')

/** The parser reads the whole text in one run, with its definitions. */
export function atOnce(text: string): string {
  const definitions = noDefinitions()
  const tokens = answerParser.parse(text, definitions)
  const counter = new NoteCounter()
  const references: string[] = []
  const tree = treeOf(tokens, {
    citationsIn: (inline) => inline,
    noteOf: (label) => {
      references.push(label)
      return counter.next(label)
    },
  })
  const section = footnoteSection(references, [{ start: 0, source: text, list: null, elements: 0 }], definitions, [])
  if (section) tree.children.push(section)
  setDirections(tree)
  return comparable(renderToStaticMarkup(drawn(tree)))
}
