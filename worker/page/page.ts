/**
 * Serves the page for every path outside the API. For a path that is no page, the status is 404 and the app shows "Not found". If the database
 * fails, the page is served without session data, and the client requests the data again.
 */
import { invitationOnPage } from '../auth/invitation.ts'
import { linkOnPage } from '../auth/magic-link.ts'
import { authFor, openPageSession, syncTokenFor } from '../auth/session.ts'
import type { Env } from '../bindings.ts'
import type { InlinedPage } from '../contract/first-page.ts'
import type { PageSettings } from '../contract/http.ts'
import { defaultLanguage, languageFor } from '../contract/languages.ts'
import { defaultCreditMicroDollars } from '../contract/models/quote.ts'
import { themeClasses } from '../contract/themes.ts'
import { logger } from '../lib/logger.ts'
import { canPay, canSearch, type Settings } from '../settings.ts'
import { firstPageFor } from './first-page.ts'
import { firstPaint, loginPaint } from './first-paint.ts'
import {
  defaultPageSettings,
  type Features,
  inlinedText,
  invitationIdOf,
  isPage,
  pageSettingsOf,
  productName,
  scriptJson,
  threadIdOf,
} from './page-settings.ts'
import { acceptedLanguages, firstPaintTextIn, pageTexts } from './page-texts.ts'

/** Page paths have no dot in the last segment (ids contain none), so a path with a dot is a file or does not exist. */
export const isFilePath = (pathname: string): boolean =>
  pathname.slice(pathname.lastIndexOf('/') + 1).includes('.') || pathname.startsWith('/@')

export async function servePage(env: Env, settings: Settings, request: Request, nonce: string): Promise<Response> {
  const { pathname } = new URL(request.url)
  const [html, data] = await Promise.all([builtPage(env, request), pageDataFor(env, settings, request, pathname)])
  const page = writePageSettings(html, data.settings, nonce, {
    inlined: data.inlined,
    firstPaint: await firstPaintFor(request, data, nonce),
  })
  const headers = new Headers({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'private, no-store' })
  for (const cookie of data.cookies) headers.append('set-cookie', cookie)
  const status = isPage(pathname) ? 200 : 404
  if (request.method !== 'HEAD') return new Response(page.body, { status, headers })
  await page.body?.cancel()
  return new Response(null, { status, headers })
}

/** The page without data of a user, which the service worker stores and opens without a network. It does not read the session. */
export async function serveShell(env: Env, settings: Settings, request: Request, nonce: string): Promise<Response> {
  const page = writePageSettings(await builtPage(env, request), { ...defaultPageSettings, ...featuresOf(settings), isShell: true }, nonce)
  return new Response(page.body, { headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' } })
}

export async function builtPage(env: Env, request: Request): Promise<Response> {
  // Without the request's headers: a 304 for index.html would ignore the data that we insert.
  const html = await env.ASSETS.fetch(new Request(`${new URL(request.url).origin}/`))
  if (html.ok) return html
  await html.body?.cancel()
  throw new Error(`the page's own HTML is not there (${html.status})`)
}

type PageData = { readonly settings: PageSettings; readonly inlined: InlinedPage | null; readonly cookies: readonly string[] }

/** Null for pages without a composer, except the one for logging in. */
async function firstPaintFor(request: Request, { settings, inlined }: PageData, nonce: string): Promise<string | null> {
  const { pathname, searchParams } = new URL(request.url)
  const threadId = threadIdOf(pathname)
  if (threadId === null && pathname !== '/' && pathname !== '/login') return null
  const isApple = /Mac|iPhone|iPad/.test(request.headers.get('user-agent') ?? '')
  try {
    const language = settings.language ?? defaultLanguage
    const text = firstPaintTextIn(language)
    if (pathname === '/login') return await loginPaint(text)
    const isTemporary = searchParams.get('temporary') === 'true'
    return await firstPaint({
      page: inlined?.firstPage ?? null,
      threadId,
      isTemporary,
      features: settings,
      isApple,
      nonce,
      nowMs: Date.now(),
      language,
      text,
    })
  } catch (error) {
    // A damaged message. The page itself shows what can be shown.
    logger.warn('first_paint_not_rendered', { reason: error instanceof Error ? error.message : 'unknown' })
    return null
  }
}

const emptyPageData: PageData = { settings: defaultPageSettings, inlined: null, cookies: [] }

function featuresOf(settings: Settings): Features {
  const { google, github, mail, environment, disabledFeatures } = settings
  const hasOutbox = environment === 'development' && mail === null && !disabledFeatures.has('mail')
  const methods = { google: google !== null, github: github !== null, mail: mail !== null || hasOutbox }
  const signIn = (Object.keys(methods) as (keyof typeof methods)[]).filter((method) => methods[method])
  const turnstile = settings.turnstile && {
    siteKey: settings.turnstile.siteKey,
    scriptUrl: `${settings.turnstile.url}/turnstile/v0/api.js?render=explicit`,
  }
  const { hasFiles: files, legal } = settings
  const creditMicroDollars = settings.creditMicroDollars === defaultCreditMicroDollars ? null : settings.creditMicroDollars
  return { search: canSearch(settings), billing: canPay(settings), files, creditMicroDollars, signIn, outbox: hasOutbox, turnstile, legal }
}

async function pageDataFor(env: Env, settings: Settings, request: Request, pathname: string): Promise<PageData> {
  const accepted = acceptedLanguages(request)
  try {
    const auth = await authFor(env, settings, request.url)
    const features = featuresOf(settings)
    const session = await openPageSession(request, auth)
    const viewer = session && { userId: session.details.userId, email: session.email }
    const magicLink = await linkOnPage(auth, settings.authSecret, new URL(request.url), viewer)
    const invitation = await invitationOnPage(env, invitationIdOf(pathname), viewer)
    const found = { magicLink, invitation }
    if (!session)
      return { ...emptyPageData, settings: { ...defaultPageSettings, ...features, language: languageFor(null, accepted), ...found } }
    const threadId = threadIdOf(pathname)
    // After a checkout the page must show the new subscription; a cached first page may be older.
    const skipsCache = new URL(request.url).searchParams.has('checkout')
    const [{ page: firstPage, source }, syncToken] = await Promise.all([
      firstPageFor(env, session, threadId, Date.now(), { skipsCache }),
      syncTokenFor(session.details, auth),
    ])
    const inlined = { syncToken, firstPage, isFromD1: source === 'd1' }
    const language = languageFor(firstPage.settings?.language, accepted)
    return {
      settings: { ...pageSettingsOf(firstPage, threadId), ...features, language, ...found, isShell: false },
      inlined,
      cookies: session.cookies,
    }
  } catch (error) {
    logger.error('page_settings_failed', error)
    return { ...emptyPageData, settings: { ...defaultPageSettings, language: languageFor(null, accepted) } }
  }
}

/** Streams the built index.html and adds theme classes, title, page settings, first paint and first page. */
type Inserted = {
  readonly inlined?: InlinedPage | null
  /** Markup; see `first-paint.ts`. */
  readonly firstPaint?: string | null
}

/** `nonce` allows our inline scripts in the content security policy. Vite adds one in development. */
export function writePageSettings(
  html: Response,
  settings: PageSettings,
  nonce: string,
  { inlined = null, firstPaint = null }: Inserted = {},
): Response {
  const text = pageTexts[settings.language ?? defaultLanguage]
  let hasDescription = false
  return new HTMLRewriter()
    .on('html', {
      element: (root) => {
        root.setAttribute('class', themeClasses(settings.mode, settings.theme))
        if (settings.language) root.setAttribute('lang', settings.language)
      },
    })
    .on('title', {
      element: (title) => {
        title.setInnerContent(settings.title ?? productName)
      },
    })
    .on('meta[name="description"]', {
      element: (meta) => {
        hasDescription = true
        meta.setAttribute('content', text.description)
      },
    })
    .on('body noscript', {
      element: (noscript) => {
        noscript.setInnerContent(text.noScript)
      },
    })
    .on('script', {
      element: (script) => {
        script.setAttribute('nonce', nonce)
      },
    })
    .on('#root', {
      element: (root) => {
        if (firstPaint !== null) root.before(firstPaint, { html: true })
      },
    })
    .on('body', {
      element: (body) => {
        if (inlined === null) return
        // Last in the body, so that the browser requests the files of the head before it receives these bytes.
        body.onEndTag((end) => {
          end.before(`<script type="application/json" id="first-page">${inlinedText(inlined)}</script>`, { html: true })
        })
      },
    })
    .on('head', {
      element: (head) => {
        // At the end of the head: only then is it known whether a description exists.
        head.onEndTag((end) => {
          if (!hasDescription) end.before(`<meta name="description" content="${text.description}">`, { html: true })
          end.before(`<script type="application/json" id="page-settings">${scriptJson(settings)}</script>`, { html: true })
        })
      },
    })
    .transform(html)
}
