/** Request and response bodies of the JSON API. */
import type { Refusal } from './errors.ts'
import type { AttachedFile } from './files.ts'

export type ErrorBody = { readonly error: Refusal }

/** The answer to an upload, and to the same upload again. */
export type FileBody = { readonly file: AttachedFile }

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

export type SignInMethod = 'google' | 'github' | 'mail'

/** What the page is served with, inlined into its HTML, so that it paints before the first socket opens. */
export type PageHint = {
  /** Whether this installation can search. */
  readonly search: boolean
  /** Whether PRO can be had here. */
  readonly billing: boolean
  /** Whether it keeps files. */
  readonly files: boolean
  /** Ways to sign in that this installation has, beside being a guest. */
  readonly signIn: readonly SignInMethod[]
  /** Whether mail lands in the development outbox. */
  readonly outbox: boolean
  /** For the widget that solves a challenge; null where Turnstile is not configured. */
  readonly turnstile: { readonly siteKey: string; readonly scriptUrl: string } | null
  readonly userId: string | null
  readonly mode: string
  readonly theme: string
  readonly title: string | null
  /** On the landing page of a magic link. */
  readonly magicLink: MagicLinkHint | null
}

export type MagicLinkHint = {
  /** The account that the link logs in to; null when the link has expired or was used. */
  readonly email: string | null
  /** True if a user is signed in and a different browser session requested the link. */
  readonly isForeign: boolean
  /** True if the link is for the account that is signed in. */
  readonly isOwnAccount: boolean
  /** Form field that proves the consent of the signed-in user. Null without a session. */
  readonly proof: string | null
}

/** What `?checkout=` says on the way back from the payment company; a page that carries it is read from the record. */
export const checkoutNews = ['done', 'pending', 'subscribed', 'returned', 'no-customer', 'failed'] as const
export type CheckoutNews = (typeof checkoutNews)[number]
/** GET /api/auth/list-sessions, as better-auth has it: times are ISO texts. */
export type SessionsBody = readonly {
  readonly id: string
  readonly token: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly ipAddress?: string | null
  readonly userAgent?: string | null
}[]
