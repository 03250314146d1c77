// The JavaScript of a first visit of `/`: its budget, and the lazily imported chunks that belong to it. `build` sums the static imports of
// the entry and of these chunks. The end-to-end test checks that a browser fetches nothing else.

/** Brotli at quality 11, as a CDN serves it. From the specification of the first page load. */
export const firstLoadBudgetBytes = 220_000

/** Source files, with their paths in Vite's manifest, that a first visit of `/` imports dynamically. */
export const firstLoadEntries: readonly string[] = [
  'index.html',
  'routes/_live.tsx?tsr-split=component',
  'routes/_live/_app.tsx?tsr-split=component',
]

/** Pages that can be the first page of a visit and need no synced rows. */
export const leanEntries: readonly string[] = [
  'routes/_account.tsx?tsr-split=component',
  'routes/_account/login.tsx?tsr-split=component',
  'routes/_account/logged-out.tsx?tsr-split=component',
  'routes/_account/magic-link.tsx?tsr-split=component',
]
