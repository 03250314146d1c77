/**
 * GET of anything that is not the API: the page with its hint, or a file of the build. A failing database costs the hint, never the page:
 * the script asks for everything again anyway.
 */
import { authFor, viewerOf } from '../auth/session.ts'
import type { PageHint } from '../contract/http.ts'
import { defaultMode, defaultTheme } from '../contract/themes.ts'
import { readPageRows } from '../db/page-rows.ts'
import { canSearch, type Env, type Settings } from '../env.ts'
import { logger } from '../lib/logger.ts'
import { defaultHint, threadIdOf } from './hint.ts'
import { writeHint } from './html.ts'

/** Pages have no dot in their last segment (ids have none); everything that has one is a file, or is not there. */
export const isFilePath = (pathname: string): boolean =>
  pathname.slice(pathname.lastIndexOf('/') + 1).includes('.') || pathname.startsWith('/@')

export async function servePage(env: Env, settings: Settings, request: Request, nonce: string): Promise<Response> {
  const { pathname, origin } = new URL(request.url)
  // Without the request's own headers: a 304 for index.html would say nothing about what we write into it.
  const [html, hint] = await Promise.all([env.ASSETS.fetch(new Request(`${origin}/`)), hintFor(env, settings, request, pathname)])
  if (!html.ok) throw new Error(`the page's own HTML is not there (${html.status})`)
  const page = writeHint(html, hint, nonce)
  return new Response(request.method === 'HEAD' ? null : page.body, {
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'private, no-store' },
  })
}

async function hintFor(env: Env, settings: Settings, request: Request, pathname: string): Promise<PageHint> {
  try {
    const search = canSearch(settings)
    const viewer = await viewerOf(request, await authFor(env, settings, request.url))
    if (!viewer) return { ...defaultHint, search }
    const { mode, theme, title } = await readPageRows(env, viewer.userId, threadIdOf(pathname))
    return { search, userId: viewer.userId, mode: mode ?? defaultMode, theme: theme ?? defaultTheme, title }
  } catch (error) {
    logger.error('page_hint_failed', error)
    return defaultHint
  }
}
