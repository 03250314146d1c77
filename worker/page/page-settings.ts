/** The data in the served HTML: theme classes, title, page settings and first page. Pure. */
import type { FirstPage, InlinedPage } from '../contract/first-page.ts'
import type { PageSettings } from '../contract/http.ts'
import { idSchema } from '../contract/ids.ts'
import { defaultMode, defaultTheme } from '../contract/themes.ts'

export const productName = 'Parley'

export const defaultPageSettings: PageSettings = {
  search: false,
  billing: false,
  files: false,
  creditMicroDollars: null,
  signIn: [],
  outbox: false,
  turnstile: null,
  legal: [],
  isShell: false,
  userId: null,
  mode: defaultMode,
  theme: defaultTheme,
  language: null,
  title: null,
  magicLink: null,
  invitation: null,
}

/** Features of the deployment, the same for every user. */
export type Features = Pick<
  PageSettings,
  'search' | 'billing' | 'files' | 'creditMicroDollars' | 'signIn' | 'outbox' | 'turnstile' | 'legal'
>

const threadRoute = '/$threadId'
const invitationRoute = '/team/invitation/$invitationId'

/** The routes of the app. A segment with `$` is an id. Static routes come first, as the app's router ranks them. */
export const pageRoutes = [
  ...['/', '/login', '/magic-link', '/logged-out', '/archive', '/bookmarks', '/projects', '/continue/$shareId'],
  ...['/project/$projectId', '/project/$projectId/files', '/project/$projectId/instructions'],
  ...['/account', '/account/appearance', '/account/data', '/account/memory', '/account/models', '/account/preferences', '/account/prompts'],
  '/account/tools',
  '/account/subscription',
  '/account/usage',
  ...['/team', invitationRoute, '/team/$organizationId', '/team/$organizationId/billing'],
  ...['/team/$organizationId/settings', '/team/$organizationId/teams', '/team/$organizationId/tools'],
  threadRoute,
]

const segmentsOf = (path: string): readonly string[] => path.split('/').filter((segment) => segment !== '')
const routeSegments = pageRoutes.map((route) => ({ route, segments: segmentsOf(route) }))

/** The route of a page and its last segment. Like the router, ignores case, empty segments and percent-encoding. */
function routeOf(pathname: string): { readonly route: string; readonly last: string | undefined } | undefined {
  const path = decoded(pathname)
  if (path === null) return undefined
  const segments = segmentsOf(path)
  const matches = (route: readonly string[]) =>
    route.length === segments.length &&
    route.every((name, index) => {
      const segment = segments[index] ?? ''
      return name.startsWith('$') ? idSchema.safeParse(segment).success : name === segment.toLowerCase()
    })
  const found = routeSegments.find((route) => matches(route.segments))
  return found && { route: found.route, last: segments.at(-1) }
}

function decoded(pathname: string): string | null {
  try {
    return decodeURIComponent(pathname)
  } catch {
    return null
  }
}

/**
 * False for an address that no user can have a page at. The id of a thread, a project or an organization may be new and only in the browser
 * that created it, so each id of the right form is a page, also one that exists for another user only. The app shows "Not found" for those.
 */
export const isPage = (pathname: string): boolean => routeOf(pathname) !== undefined

const idOf = (route: string) => (pathname: string) => {
  const found = routeOf(pathname)
  return found?.route === route ? (found.last ?? null) : null
}

export const threadIdOf: (pathname: string) => string | null = idOf(threadRoute)
export const invitationIdOf: (pathname: string) => string | null = idOf(invitationRoute)

/** Theme and title of the page, from its first rows. */
export function pageSettingsOf(
  { session, settings, thread, threads }: FirstPage,
  threadId: string | null,
): Omit<PageSettings, keyof Features | 'language' | 'magicLink' | 'invitation' | 'isShell'> {
  const shown = thread ?? threads.find(({ id }) => id === threadId)
  return {
    userId: session.userId,
    mode: settings?.mode ?? defaultMode,
    theme: settings?.theme ?? defaultTheme,
    title: shown?.title ?? null,
  }
}

/** Chosen: on a slow network the script starts only after all inlined bytes have arrived. */
const maxInlinedChars = 64 * 1024

/** The JSON to inline. Above the limit it omits the thread's messages, then the thread list; the socket delivers them later. */
export function inlinedText(inlined: InlinedPage): string {
  const { firstPage } = inlined
  const without = (omitted: Partial<FirstPage>): InlinedPage => ({ ...inlined, firstPage: { ...firstPage, ...omitted } })
  const candidates = [inlined, without({ thread: null }), without({ thread: null, threads: [] })].map(scriptJson)
  return candidates.find((text) => text.length <= maxInlinedChars) ?? scriptJson(null)
}

/** JSON escaped for a script element: it can neither close the element nor open a comment. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
