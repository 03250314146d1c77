/**
 * The words of a page, as a person would read them: without menus, scripts, forms and what the page hides. Streams through the platform's
 * HTMLRewriter, so a page of any size costs its text and no tree.
 */
import { maxPageChars } from '../../contract/limits.ts'
import { cutAt } from '../../contract/text-end.ts'
import { withLetters } from './character-references.ts'
import type { FetchedPage } from './fetch-page.ts'
import { asUtf8 } from './page-charset.ts'
import { ToolFailure } from './tool-failure.ts'
import { tellingElements, UnreadElements } from './unread-elements.ts'
import { visibleText } from './visible-text.ts'

export type ReadableText = { readonly title: string; readonly text: string; readonly isCut: boolean }

const blocks =
  'p, div, section, article, main, header, h1, h2, h3, h4, h5, h6, li, ul, ol, dl, dt, dd, tr, table, blockquote, pre, figure, figcaption, br, hr'

/** Where a page marks its content, that is what it is about; less than this is only a frame around it. */
const minContentChars = 400
/** For the HTMLRewriter, which reads by this header. */
const htmlInUtf8 = { 'content-type': 'text/html; charset=utf-8' }
/** Text is gathered a little beyond what is kept, because white space is folded afterwards. */
const gatheredChars = maxPageChars * 4
const maxTitleChars = 200

export async function readableText({ mediaType, body, wasCut }: FetchedPage): Promise<ReadableText> {
  const utf8 = new Response(body.body?.pipeThrough(asUtf8(body.headers.get('content-type') ?? '')) ?? null, { headers: htmlInUtf8 })
  const { title, text, isPart } = /html/.test(mediaType) ? await textOfHtml(utf8) : { title: '', text: await utf8.text(), isPart: false }
  const folded = fold(text)
  if (folded === '') throw new ToolFailure('The page has no readable text.')
  const isCut = isPart || wasCut() || folded.length > maxPageChars
  return { title: cutAt(fold(title), maxTitleChars), text: cutAt(folded, maxPageChars), isCut }
}

/** Text up to a limit, and whether there was more. */
class Gathered {
  text = ''
  isPart = false

  add(text: string): void {
    if (this.text.length < gatheredChars) this.text += text
    else this.isPart ||= text.trim() !== ''
  }
}

async function textOfHtml(body: Response): Promise<{ title: string; text: string; isPart: boolean }> {
  const title = new Gathered()
  const everything = new Gathered()
  const content = new Gathered()
  const unread = new UnreadElements()
  let inContent = 0
  let inTitle = 0
  const add = (text: string): void => {
    if (unread.isWithin) return
    everything.add(text)
    if (inContent > 0) content.add(text)
  }
  const begins = (element: Element): void => {
    const isContent = element.tagName === 'main' || element.tagName === 'article'
    const isTitle = element.tagName === 'title'
    const endUnread = unread.begin(element)
    if (!isContent && !isTitle && !endUnread) return
    const count = (change: 1 | -1): void => {
      if (isContent) inContent += change
      if (isTitle) inTitle += change
    }
    count(1)
    atEnd(element, () => {
      count(-1)
      endUnread?.()
    })
  }
  const rewriter = new HTMLRewriter()
    // One handler for all of them: of several that wait for the end of one element, the platform calls the last alone. Titles stand not only
    // in a head, whose tags may be left out; pictures have some too, but they are skipped.
    .on(`${tellingElements}, main, article, title`, { element: begins })
    .on(blocks, { element: () => add('\n') })
    .onDocument({
      text(chunk) {
        if (inTitle === 0) add(chunk.text)
        else if (!unread.isWithin) title.add(chunk.text)
      },
    })
  let isBroken = false
  try {
    await rewriter.transform(body).arrayBuffer()
  } catch {
    // A page nested beyond the parser's memory, or a connection torn midway: what came until then is what can be read.
    isBroken = true
  }
  const { text, isPart } = fold(content.text).length >= minContentChars ? content : everything
  return { title: withLetters(title.text), text: withLetters(text), isPart: isPart || isBroken }
}

/** At once for an element that has no end: one that is empty, or closed in itself. */
function atEnd(element: Element, ended: () => void): void {
  try {
    element.onEndTag(ended)
  } catch {
    // There is no other way to ask whether it has one.
    ended()
  }
}

/** Lines without edges, no more than one empty line. */
const fold = (text: string): string =>
  visibleText(text)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
