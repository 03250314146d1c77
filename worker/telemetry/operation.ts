/** What is recorded: a request, a turn, or a step of sync. */

/** One span, and one value of the histogram of its kind. */
export type Operation = {
  readonly kind: 'http.server.request' | 'parley.turn' | 'parley.sync.step'
  /** One of few: a route, never an address. */
  readonly name: string
  readonly beganMs: number
  readonly endedMs: number
  /** Only names that `otlp.ts` lists are sent. */
  readonly attributes: { readonly [name: string]: string | number }
  /** A short code of ours. */
  readonly error?: string | undefined
}
