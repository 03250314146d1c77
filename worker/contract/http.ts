/** Request and response bodies of the JSON API. */
import type { Refusal } from './errors.ts'

export type ErrorBody = { readonly error: Refusal }

/** `real` talks to a company; `stand-in` is the embedded default of development; `off` was switched off by name. */
export type PartState = 'real' | 'stand-in' | 'off'

export type HealthBody = {
  readonly status: 'ok' | 'misconfigured'
  readonly environment: 'production' | 'development'
  readonly version: string
  readonly parts: {
    readonly [part: string]: {
      readonly state: PartState
      readonly detail: string
    }
  }
}

/** What the page is served with, inlined into its HTML, so that it paints before the first socket opens. */
export type PageHint = {
  /** Whether this installation can search. */
  readonly search: boolean
  readonly userId: string | null
  readonly mode: string
  readonly theme: string
  readonly title: string | null
}
