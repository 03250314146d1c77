/** A request, a turn or a step of sync. It becomes one span, and one value in the histogram of its kind. */
export type Operation = {
  readonly kind: 'http.server.request' | 'parley.turn' | 'parley.sync.step'
  /** Low cardinality: a route, never an address. */
  readonly name: string
  readonly begunMs: number
  readonly endedMs: number
  /** `otlp.ts` sends only the names in its list. */
  readonly attributes: { readonly [name: string]: string | number }
  /** A short code of ours. */
  readonly error?: string | undefined
}
