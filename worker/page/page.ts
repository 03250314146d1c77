/**
 * GET of anything that is not the API: the page with its hint, or a file of the build. A failing database costs the hint, never the page:
 * the script asks for everything again anyway.
 */
import { linkOnPage } from '../auth/magic-link.ts'
import { authFor, openPageSession, syncTokenFor } from '../auth/session.ts'
import type { InlinedPage } from '../contract/first-page.ts'
import type { PageHint } from '../contract/http.ts'
import { canPay, canSearch, type Env, type Settings } from '../env.ts'
import { logger } from '../lib/logger.ts'
import { firstPageFor } from './first-page.ts'
import { defaultHint, hintOf, type Offers, threadIdOf } from './hint.ts'
import { writeHint } from './html.ts'

/** Pages have no dot in their last segment (ids have none); everything that has one is a file, or is not there. */
export const isFilePath = (pathname: string): boolean =>
  pathname.slice(pathname.lastIndexOf('/') + 1).includes('.') || pathname.startsWith('/@')

export async function servePage(env: Env, settings: Settings, request: Request, nonce: string): Promise<Response> {
  const { pathname, origin } = new URL(request.url)
  // Without the request's own headers: a 304 for index.html would say nothing about what we write into it.
  const [html, known] = await Promise.all([env.ASSETS.fetch(new Request(`${origin}/`)), knownFor(env, settings, request, pathname)])
  if (!html.ok) {
    await html.body?.cancel()
    throw new Error(`the page's own HTML is not there (${html.status})`)
  }
  const page = writeHint(html, known.hint, nonce, known.inlined)
  const headers = new Headers({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'private, no-store' })
  for (const cookie of known.cookies) headers.append('set-cookie', cookie)
  if (request.method !== 'HEAD') return new Response(page.body, { headers })
  await page.body?.cancel()
  return new Response(null, { headers })
}

type Known = { readonly hint: PageHint; readonly inlined: InlinedPage | null; readonly cookies: readonly string[] }

const nothingKnown: Known = { hint: defaultHint, inlined: null, cookies: [] }

function offersOf(settings: Settings): Offers {
  const { google, github, mail, environment, disabledFeatures } = settings
  const hasOutbox = environment === 'development' && mail === null && !disabledFeatures.has('mail')
  const methods = { google: google !== null, github: github !== null, mail: mail !== null || hasOutbox }
  const signIn = (Object.keys(methods) as (keyof typeof methods)[]).filter((method) => methods[method])
  const turnstile = settings.turnstile && {
    siteKey: settings.turnstile.siteKey,
    scriptUrl: `${settings.turnstile.url}/turnstile/v0/api.js?render=explicit`,
  }
  return { search: canSearch(settings), billing: canPay(settings), files: settings.hasFiles, signIn, outbox: hasOutbox, turnstile }
}

async function knownFor(env: Env, settings: Settings, request: Request, pathname: string): Promise<Known> {
  try {
    const auth = await authFor(env, settings, request.url)
    const offers = offersOf(settings)
    const session = await openPageSession(request, auth)
    const viewer = session && { userId: session.facts.userId, email: session.email }
    const magicLink = await linkOnPage(auth, settings.authSecret, new URL(request.url), viewer)
    if (!session) return { ...nothingKnown, hint: { ...defaultHint, ...offers, magicLink } }
    const threadId = threadIdOf(pathname)
    // Whoever comes back from paying must see that they have paid, and a hint may be older than that.
    const isFresh = new URL(request.url).searchParams.has('checkout')
    const [{ page: firstPage, source }, syncToken] = await Promise.all([
      firstPageFor(env, session, threadId, Date.now(), { isFresh }),
      syncTokenFor(session.facts, auth),
    ])
    const inlined = { syncToken, firstPage, isRecord: source === 'd1' }
    return { hint: { ...hintOf(firstPage, threadId), ...offers, magicLink }, inlined, cookies: session.cookies }
  } catch (error) {
    logger.error('page_hint_failed', error)
    return nothingKnown
  }
}
