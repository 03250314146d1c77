/**
 * The public page of a shared thread: HTML that needs no script, with the stylesheet of the app. Its policy allows one script, which adds buttons
 * that copy code. The page is the same for every visitor and contains no id of the owner or of a stored file. The link and its messages are read
 * from D1 for each request. The articles are cached by their content, because rendering them takes up to half a second of CPU time.
 */
import { waitUntil } from 'cloudflare:workers'
import { html, raw } from 'hono/html'
import type { Env } from '../bindings.ts'
import { formatBytesIn } from '../contract/files/file-size.ts'
import { fileKindOf } from '../contract/files/files.ts'
import type { LegalLink } from '../contract/http.ts'
import { cutAt } from '../contract/text.ts'
import { type ChatMessage, type FilePart, type MessagePart, textOf } from '../contract/threads/messages.ts'
import { continuePath, sharedFilePath, sharePath } from '../contract/threads/shares.ts'
import { sourcesOf } from '../contract/threads/sources.ts'
import { newId } from '../db/new-id.ts'
import { isStoredFile, type SharedThread } from '../db/shares.ts'
import { sha256Hex } from '../lib/digests.ts'
import { citationPattern, type DrawingAllowance, drawingAllowance, sharedAnswerHtml, untrustedLinkRel, webAddress } from './answer-html.ts'
import { copyButtons, copyScriptSource } from './copy-code.ts'
import { icon, logo } from './first-paint.ts'
import { builtPage } from './page.ts'
import { productName } from './page-settings.ts'
import { type PageTexts, pageTextsFor } from './page-texts.ts'

type Html = ReturnType<typeof html>

const policyOf = (scriptSource: string): string =>
  [
    "default-src 'none'",
    `script-src ${scriptSource}`,
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** The response of a missing, foreign, expired or revoked link, and of a missing file of a page. */
export async function missingShare(env: Env, request: Request): Promise<Response> {
  const texts = pageTextsFor(request)
  const styles = await stylesOf(env, request)
  const { text } = texts
  return respond(404, await documentOf({ ...texts, title: text.missing, styles }, notice(texts, text.missing, text.missingReason)))
}

/** For a network with too many requests. Reads no stylesheet. */
export async function tooManyShares(request: Request, retryAfterS: number): Promise<Response> {
  const texts = pageTextsFor(request)
  const { text } = texts
  const body = html`<h1>${text.tooMany}</h1><p>${text.tooManyReason}</p>`
  const response = respond(429, await documentOf({ ...texts, title: text.tooMany, styles: '' }, body))
  response.headers.set('retry-after', String(retryAfterS))
  return response
}

export async function sharePage(
  env: Env,
  request: Request,
  origin: string,
  legal: readonly LegalLink[],
  shared: SharedThread,
): Promise<Response> {
  const texts = pageTextsFor(request)
  const title = shared.title ?? texts.text.untitled
  const description = descriptionOf(shared.messages)
  const head = html`<meta name="description" content="${description}">
<meta property="og:type" content="article">
<meta property="og:site_name" content="${productName}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${origin}${sharePath(shared.id)}">
<meta property="og:image" content="${origin}/share-preview.png">
<meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630">
<meta property="og:image:alt" content="${productName}: ${title}">
<meta name="twitter:card" content="summary_large_image">`
  const { isListed } = shared
  const styles = await stylesOf(env, request)
  const page = await documentOf(
    { ...texts, title, styles, head, isListed },
    content(shared, title, texts, legal, await articles(shared, texts, styles)),
  )
  return respond(200, page, { isListed, scriptSource: await copyScriptSource() })
}

type Shown = { readonly isListed: boolean; readonly scriptSource: string }

function respond(status: number, body: string, { isListed, scriptSource }: Shown = { isListed: false, scriptSource: "'none'" }): Response {
  const headers = new Headers({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policyOf(scriptSource),
    // Every request reads the link again.
    'cache-control': 'private, no-store',
    vary: 'accept-language',
  })
  if (!isListed) headers.set('x-robots-tag', 'noindex, nofollow')
  return new Response(body, { status, headers })
}

/** The stylesheet of the build, whose name contains a hash. */
async function stylesOf(env: Env, request: Request): Promise<string> {
  const page = await (await builtPage(env, request)).text()
  return (page.match(/<link [^>]*rel="stylesheet"[^>]*>/g) ?? []).join('')
}

type Head = PageTexts & { readonly title: string; readonly styles: string; readonly head?: Html; readonly isListed?: boolean }

/** `system`: the colours follow the visitor's device. */
const documentOf = async ({ language, title, styles, head, isListed = false }: Head, body: Html): Promise<string> =>
  String(
    await html`<!doctype html>
<html lang="${language}" class="system theme-default">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${isListed ? '' : html`<meta name="robots" content="noindex, nofollow">`}
<title>${title} · ${productName}</title>
${head ?? ''}
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
${raw(styles)}
</head>
<body>${body}</body>
</html>
`,
  )

const buttonClass =
  'inline-flex min-h-9 shrink-0 items-center gap-2 rounded-lg bg-accent px-3.5 font-medium text-accent-foreground touch:min-h-11'

const bar = (action: Html | '') =>
  html`<header class="sticky top-0 z-10 border-b bg-background print:hidden"><div class="mx-auto flex min-h-14 w-full max-w-reading items-center justify-between gap-3 px-4 py-2 md:px-6"><a href="/" class="flex items-center gap-2 rounded-lg text-base font-semibold tracking-tight touch:min-h-11">${logo()}${productName}</a>${action}</div></header>`

const notice = (
  { text }: PageTexts,
  title: string,
  reason: string,
) => html`${bar('')}<main class="mx-auto w-full max-w-reading px-4 py-16 md:px-6">
<h1 class="text-title">${title}</h1>
<p class="mt-2 text-reading text-muted-foreground">${reason}</p>
<p class="mt-6"><a href="/" class="${buttonClass}">${text.start}</a></p>
</main>`

function content(
  { id, name, createdAt }: SharedThread,
  title: string,
  { language, text }: PageTexts,
  legal: readonly LegalLink[],
  shown: string,
): Html {
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(createdAt)
  const by = name === null ? text.shared : html`${text.sharedBy} <bdi class="text-foreground">${name}</bdi>`
  return html`${bar(html`<a href="${continuePath(id, newId())}" rel="nofollow" class="${buttonClass}">${text.continue}</a>`)}
<main class="mx-auto w-full max-w-reading px-4 pt-8 pb-16 md:px-6 print:p-0">
<h1 dir="auto" class="text-title text-balance wrap-anywhere">${title}</h1>
<p class="mt-2 mb-8 text-sm text-muted-foreground">${by} · <time datetime="${new Date(createdAt).toISOString()}">${day}</time></p>
${raw(shown)}
<footer class="mt-8 border-t pt-4 text-xs text-muted-foreground"><p>${text.disclaimer}</p>${legalLinks(legal, text)}</footer>
</main>
${copyButtons(text)}`
}

/** As `web/ui/legal-links/legal-links.tsx` draws them. */
const legalLinks = (links: readonly LegalLink[], text: PageTexts['text']): Html | '' =>
  links.length === 0
    ? ''
    : html`<p class="mt-2 flex flex-wrap gap-x-4">${links.map(({ name, url }) => html`<a href="${url}" rel="noreferrer" class="py-1 underline-offset-4 hover:underline touch:py-3">${text[name]}</a>`)}</p>`

/** Addresses of stored files by their place among all files of the page. */
function filePaths(id: string, messages: readonly ChatMessage[]): ReadonlyMap<MessagePart, string> {
  const parts = messages.flatMap((message) => message.parts.filter(isStoredFile))
  return new Map(parts.map((part, index) => [part, sharedFilePath(id, index)]))
}

/** Chosen: how long another version of the Worker may serve the articles that the version before it drew. */
const articlesCachedS = 3600

/** By everything that the articles depend on. `styles` has the hash of the stylesheet whose classes they use. */
async function articles({ id, messages }: SharedThread, texts: PageTexts, styles: string): Promise<string> {
  const key = `https://shared-articles.invalid/${await sha256Hex(JSON.stringify([id, messages, texts.language, styles]))}`
  const cached = await caches.default.match(key)
  if (cached) return cached.text()
  const files = filePaths(id, messages)
  const budget = { work: maxPageWork, ...drawingAllowance() }
  const drawnArticles: string[] = []
  // One after the other: the first ones take from the budget.
  for (const [index, message] of messages.entries()) drawnArticles.push(String(await article(message, index, files, texts, budget)))
  const drawn = drawnArticles.join('')
  const headers = { 'cache-control': `public, max-age=${articlesCachedS}` }
  waitUntil(caches.default.put(key, new Response(drawn, { headers })))
  return drawn
}

/**
 * In microseconds. Chosen: half a second of parsing and drawing for all answers of a page. Measured: 1 for a character, 20 for a line, 5 for a
 * bar of a table and a mark of emphasis, and 15 for a bracket. Answers that do not fit are shown as they were written.
 */
const maxPageWork = 500_000

const countIn = (text: string, mark: string): number => text.split(mark).length - 1
const workOf = (text: string): number =>
  text.length + 20 * countIn(text, '\n') + 15 * countIn(text, '[') + 5 * ['|', '*', '_'].reduce((sum, mark) => sum + countIn(text, mark), 0)

async function article(
  message: ChatMessage,
  index: number,
  files: ReadonlyMap<MessagePart, string>,
  { language, text }: PageTexts,
  budget: DrawingAllowance & { work: number },
): Promise<string> {
  const attached = message.parts.flatMap((part) => {
    const path = files.get(part)
    return path !== undefined && isStoredFile(part) ? [file({ filename: text.file, ...part }, path, language)] : []
  })
  const shown = attached.length > 0 ? html`<div class="my-2 flex flex-wrap gap-2">${attached}</div>` : ''
  const messageText = textOf(message)
  if (message.role === 'user') {
    const isFolded = isFoldedPrompt(messageText)
    const bubble = html`<div class="group/prompt max-w-[85%] min-w-0 rounded-2xl bg-muted px-4 py-2.5 print:border"><p dir="auto" class="text-base leading-6 wrap-anywhere whitespace-pre-wrap [unicode-bidi:plaintext] ${isFolded ? foldedClass : ''}">${messageText}</p>${isFolded ? unfoldControl(text) : ''}</div>`
    return String(
      html`<article aria-label="${text.question}" class="mb-6 flex flex-col items-end">${shown}${messageText === '' ? '' : bubble}</article>`,
    )
  }
  const isEmpty = messageText === '' && attached.length === 0
  const sources = sourcesIn(message.parts)
  const hrefs = new Map(sources.flatMap(({ number, href }) => (number === null ? [] : [[number, href] as const])))
  const work = workOf(messageText)
  const isDrawn = work <= budget.work
  if (isDrawn) budget.work -= work
  const answer = isDrawn
    ? raw(
        await sharedAnswerHtml(
          messageText,
          {
            ...{ imageName: text.image, diagram: text.diagram, done: text.done, notDone: text.notDone, sources: hrefs },
            ...{ idPrefix: `a${index}-`, footnotesName: text.footnotes, backToReference: text.backToReference },
          },
          budget,
        ),
      )
    : html`<p class="whitespace-pre-wrap">${messageText}</p>`
  const models = (message.metadata.answeredBy ?? [message.metadata.modelName]).join(', ')
  return String(
    html`<article aria-label="${text.answer}" class="mb-8">${isEmpty ? html`<p class="text-muted-foreground">${text.noText}</p>` : ''}<div class="md"><div class="md-group">${answer}</div></div>${shown}${sourceList(sources, messageText, text.sources)}<p class="mt-2 text-xs text-muted-foreground">${models}${message.metadata.imported ? badge(text.imported, text.importedDescription) : ''}${message.metadata.demo ? badge(text.demo, text.demoDescription) : ''}</p></article>`,
  )
}

/** Chosen: two thirds of a screen. `foldedClass` has the same number of lines. */
const foldedLines = 12
/** A line of the widest bubble has about 80 characters. */
const foldedChars = 80 * foldedLines

const isFoldedPrompt = (prompt: string): boolean => prompt.length > foldedChars || prompt.split('\n', foldedLines + 1).length > foldedLines

const foldedClass = 'line-clamp-12 group-has-[[open]]/prompt:line-clamp-none print:line-clamp-none'

/** Without a script: the style of the prompt depends on whether this element is open. */
const unfoldControl = (text: PageTexts['text']): Html =>
  html`<details class="group/fold mt-1 text-sm print:hidden"><summary class="inline-flex min-h-8 cursor-pointer list-none items-center rounded-sm font-medium text-muted-foreground hover:text-foreground touch:min-h-11 [&::-webkit-details-marker]:hidden"><span class="group-open/fold:hidden">${text.showAll}</span><span class="hidden group-open/fold:inline">${text.showLess}</span></summary></details>`

/** As `web/ui/badge.tsx` draws it. */
const badge = (label: string, description: string): Html =>
  html` <span title="${description}" class="inline-flex h-5 items-center rounded-sm bg-foreground/8 px-1.5 font-medium tracking-wide">${label}</span>`

function file({ filename = '', mediaType, sizeBytes = 0 }: FilePart, path: string, language: string): Html {
  if (fileKindOf(mediaType) === 'image')
    return html`<a href="${path}" class="block max-w-full"><img src="${path}" alt="${filename}" loading="lazy" class="max-h-96 max-w-full rounded-xl border object-contain"></a>`
  const size = formatBytesIn(language, sizeBytes)
  return html`<a href="${path}" class="inline-flex min-h-9 max-w-full items-center gap-2 rounded-lg border px-3 touch:min-h-11">${icon('paperclip', 'size-4 shrink-0')}<bdi class="truncate">${filename}</bdi><span class="shrink-0 text-xs text-muted-foreground">${size}</span></a>`
}

type ListedSource = { readonly number: number | null; readonly title: string; readonly href: string; readonly site: string }

/** The sources of an answer that can be opened: those that it may cite by number, and those that the model named. */
function sourcesIn(parts: readonly MessagePart[]): readonly ListedSource[] {
  const named = parts.flatMap((part) => (part.type === 'source-url' && 'sourceId' in part ? [part] : []))
  return [...sourcesOf(parts), ...named.map(({ url, title }) => ({ number: null, title: title || url, url, site: '' }))].flatMap(
    ({ number, title, url, site }) => {
      const href = webAddress(url)
      return href === null ? [] : [{ number, title, href, site }]
    },
  )
}

function sourceList(sources: readonly ListedSource[], messageText: string, heading: string): Html | '' {
  const groups = [...messageText.matchAll(citationPattern)]
  const cited = new Set(groups.flatMap(([, group = '']) => group.split(',').map(Number)))
  const listed = sources.filter(({ number }) => number === null || cited.has(number))
  if (listed.length === 0) return ''
  return html`<section aria-label="${heading}" class="mt-4 border-t pt-3"><p class="text-xs font-medium text-muted-foreground">${heading}</p><ol class="mt-1.5 flex flex-col gap-1 text-sm">${listed.map(
    ({ number, title, href, site }) =>
      html`<li class="flex min-w-0 items-baseline gap-2"><span class="w-4 shrink-0 text-right text-xs text-muted-foreground">${number ?? '·'}</span><a href="${href}" rel="${untrustedLinkRel}" class="min-w-0 truncate underline underline-offset-4">${title}</a><span class="truncate text-xs text-muted-foreground">${site}</span></li>`,
  )}</ol></section>`
}

/** Chosen: what previews show. */
const descriptionChars = 200

/** The beginning of the first question. */
function descriptionOf(messages: readonly ChatMessage[]): string {
  const first = messages.map((message) => textOf(message).trim()).find((messageText) => messageText !== '') ?? ''
  const line = cutAt(first, 4 * descriptionChars)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
  return line.length <= descriptionChars ? line : `${cutAt(line, descriptionChars - 1)}…`
}
