/**
 * The words of a page, as a person would read them: without menus, scripts, forms and what the page hides. Streams through the platform's
 * HTMLRewriter, so a page of any size costs its text and no tree.
 */
import { maxPageChars } from '../../contract/limits.ts'
import { cutAt } from '../../contract/text-end.ts'
import type { FetchedPage } from './fetch-page.ts'
import { ToolFailure } from './tool-failure.ts'

export type ReadableText = { readonly title: string; readonly text: string; readonly isCut: boolean }

/** Never read. All of them need an end tag by the HTML standard, so what is skipped ends where they do. */
const skipped =
  'script, style, noscript, template, svg, iframe, object, select, textarea, button, nav, footer, aside, form, dialog, div[hidden], section[hidden], span[hidden], div[aria-hidden="true"], span[aria-hidden="true"]'
const blocks =
  'p, div, section, article, main, header, h1, h2, h3, h4, h5, h6, li, ul, ol, dl, dt, dd, tr, table, blockquote, pre, figure, figcaption, br, hr'

/** Where a page marks its content, that is what it is about; less than this is only a frame around it. */
const minContentChars = 400
/** Text is gathered a little beyond what is kept, because white space is folded afterwards. */
const gatheredChars = maxPageChars * 4

export async function readableText({ mediaType, body }: FetchedPage): Promise<ReadableText> {
  const { title, text, isBroken } = /html/.test(mediaType)
    ? await textOfHtml(body)
    : { title: '', text: await body.text(), isBroken: false }
  const folded = fold(text)
  if (folded === '') throw new ToolFailure('The page has no readable text.')
  return { title: fold(title).slice(0, 200), text: cutAt(folded, maxPageChars), isCut: isBroken || folded.length > maxPageChars }
}

async function textOfHtml(body: Response): Promise<{ title: string; text: string; isBroken: boolean }> {
  let title = ''
  let everything = ''
  let content = ''
  let skipping = 0
  let inContent = 0
  let inTitle = 0
  const add = (text: string): void => {
    if (skipping > 0) return
    if (everything.length < gatheredChars) everything += text
    if (inContent > 0 && content.length < gatheredChars) content += text
  }
  const within = (count: (change: 1 | -1) => void) => ({
    element(element: Element) {
      count(1)
      element.onEndTag(() => count(-1))
    },
  })
  const rewriter = new HTMLRewriter()
    .on(
      // Not only in a head: its tags may be left out. Pictures have titles too, but they are skipped.
      'title',
      within((change) => {
        inTitle += change
      }),
    )
    .on(
      skipped,
      within((change) => {
        skipping += change
      }),
    )
    .on(
      'main, article',
      within((change) => {
        inContent += change
      }),
    )
    .on(blocks, { element: () => add('\n') })
    .onDocument({
      text(chunk) {
        if (inTitle === 0) add(chunk.text)
        else if (skipping === 0) title += chunk.text
      },
    })
  let isBroken = false
  try {
    await rewriter.transform(body).arrayBuffer()
  } catch {
    // A page nested beyond the parser's memory, or a connection torn midway: what came until then is what can be read.
    isBroken = true
  }
  const text = fold(content).length >= minContentChars ? content : everything
  return { title: decodeEntities(title), text: decodeEntities(text), isBroken }
}

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  copy: '©',
  euro: '€',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  szlig: 'ß',
  eacute: 'é',
  egrave: 'è',
}

const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return named[name.toLowerCase()] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })

/** Lines without edges, no more than one empty line; control and invisible characters, in which text can be hidden, are gone. */
const fold = (text: string): string =>
  text
    .replace(/[\p{Cf}\p{Co}\p{Cn}]/gu, '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
