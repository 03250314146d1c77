// The JavaScript of a first visit of `/`: its budgets, and the chunks that belong to it. `build` sums the static imports of these chunks. The
// end-to-end test checks that a browser fetches nothing else, and nothing of the app before the first paint.

const pageEntry = 'index.html'

/** Imported by the entry after the first paint. */
export const appEntry = 'app.tsx'
const syncEntry = 'sync/provider.tsx'

/** Source files, with their paths in Vite's manifest, that the app imports dynamically on a first visit of `/`. */
export const firstRoutes: readonly string[] = ['routes/live.tsx', 'routes/chat.tsx']

const loginEntries = ['features/sign-in/login-page.tsx']

/** Budgets in bytes of brotli at quality 11, as a CDN serves it. */
export const budgets = [
  // Chosen: the first paint needs no script. The entry waits for the paint and loads the app.
  { name: 'before the first paint', entries: [pageEntry], maxBytes: 5000 },
  // Chosen: React, the router, the sync client and the page.
  { name: 'until the composer is ready', entries: [pageEntry, appEntry, syncEntry, ...firstRoutes], maxBytes: 235_000 },
  // Chosen: React, the router and little else. No sync client.
  { name: 'until /login is ready', entries: [pageEntry, appEntry, ...loginEntries], maxBytes: 110_000 },
] as const satisfies readonly Budget[]

type Budget = { readonly name: string; readonly entries: readonly string[]; readonly maxBytes: number }

/** Pages that can be the first page of a visit and need no synced rows. */
export const leanEntries: readonly string[] = [
  ...loginEntries,
  'features/sign-in/logged-out-page.tsx',
  'features/sign-in/magic-link-page.tsx',
]

/** Source files that a thread loads in addition to those of `/`. */
export const threadEntries: readonly string[] = ['features/chat/thread/thread-view.tsx', 'features/shell/thread-header.tsx']
