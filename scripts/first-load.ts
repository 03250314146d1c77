// The promise about the first visit of `/`: how much JavaScript, and which lazily imported chunks belong to it.
// `build` adds up the static closure of the entry and of these; the end-to-end test checks that a browser fetches nothing else.

/** Brotli at quality 11, as a CDN serves it. From the specification of the first page's speed. */
export const firstLoadBudgetBytes = 220_000

/** Sources (as Vite's manifest spells them) that a first visit of `/` imports dynamically. */
export const firstLoadEntries: readonly string[] = [
  'index.html',
  'routes/_live.tsx?tsr-split=component',
  'routes/_live/_app.tsx?tsr-split=component',
]

/** Pages that a person may open first and that need no live rows. */
export const leanEntries: readonly string[] = [
  'routes/_account.tsx?tsr-split=component',
  'routes/_account/login.tsx?tsr-split=component',
  'routes/_account/logged-out.tsx?tsr-split=component',
  'routes/_account/magic-link.tsx?tsr-split=component',
]
