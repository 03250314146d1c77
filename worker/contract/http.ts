/** Request and response bodies of the JSON API. */
import type { Refusal } from './errors.ts'
import type { AttachedFile } from './files/files.ts'
import type { Language } from './languages.ts'
import type { OrganizationRole } from './organizations/organization.ts'
import type { ToolServerFailure } from './tools/tool-servers.ts'

/** `detail`: what is wrong with the request or the server, for its operator. The page does not show it. */
export type ErrorBody = { readonly error: Refusal & { readonly detail?: string } }

/** Response to an upload. A repeated upload gets the same response. */
export type FileBody = { readonly file: AttachedFile }

/** Response to a copy of a shared thread. A repeated request gets the same response. */
export type ShareCopyBody = { readonly threadId: string }

/**
 * Response about a tool server. `address`: where the user logs in. `scopes`: what the server requires beyond the last login, in its words. The row
 * of the server has everything else.
 */
export type ToolServerBody = {
  readonly failure?: ToolServerFailure | null
  readonly address?: string
  readonly scopes?: readonly string[]
  readonly parts?: ServerParts
  readonly suggestions?: ServerSuggestions
}

/** Values that a server suggests for an argument. Null: it never suggests any. */
export type ServerSuggestions = { readonly values: readonly string[] } | null

/** The parts of a resource or a prompt of a server. `data`: base64. */
export type ServerFile = { readonly name: string } & ({ readonly text: string } | { readonly data: string })
export type ServerParts = {
  /** Empty for a resource. */
  readonly text: string
  readonly files: readonly ServerFile[]
  /** Parts that cannot be inserted, with the names of the first ones. */
  readonly left: { readonly count: number; readonly names: readonly string[] }
}

/** `real`: an external service; `stand-in`: the simulation of development; `off`: disabled in the settings. */
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

type SignInMethod = 'google' | 'github' | 'mail'

/** Data inlined into the HTML, so that the page paints before the socket opens. */
export type PageSettings = {
  /** True if web search is configured. */
  readonly search: boolean
  /** True if PRO can be bought. */
  readonly billing: boolean
  /** True if attachments are configured. */
  readonly files: boolean
  /** The price of a credit. Null: the default. */
  readonly creditMicroDollars: number | null
  /** Configured sign-in methods, in addition to guests. */
  readonly signIn: readonly SignInMethod[]
  /** True if the development outbox receives mails. */
  readonly outbox: boolean
  /** Settings of the captcha widget. Null if Turnstile is not configured. */
  readonly turnstile: { readonly siteKey: string; readonly scriptUrl: string } | null
  /** The operator's legal pages. */
  readonly legal: readonly LegalLink[]
  /** The page is the shell: the same for all users, stored by the service worker. */
  readonly isShell: boolean
  readonly userId: string | null
  readonly mode: string
  readonly theme: string
  /** The language of the served HTML. Null if the server does not know the user's choice: on the shell. */
  readonly language: Language | null
  readonly title: string | null
  /** On the landing page of a magic link. */
  readonly magicLink: MagicLinkDetails | null
  /** On the page of an invitation. Null on other pages, and if the database failed. */
  readonly invitation: InvitationDetails | null
}

export type LegalLink = { readonly name: 'terms' | 'privacy' | 'imprint'; readonly url: string }

/** `joined`: the viewer is a member of its organization. `closed`: also for an invitation that does not exist. */
export type InvitationDetails =
  | OpenInvitation
  | { readonly state: 'joined'; readonly id: string; readonly organization: string; readonly organizationId: string }
  | { readonly state: 'closed'; readonly id: string }

/** What everybody may read who has the link. `inviter`: the address, after the name if there is one. */
export type OpenInvitation = {
  readonly state: 'open'
  readonly id: string
  readonly organization: string
  readonly inviter: string
  /** Null unless it was sent to the address of the viewer. */
  readonly forViewer: AddressedInvitation | null
}

export type AddressedInvitation = { readonly organizationId: string; readonly role: OrganizationRole }

export type MagicLinkDetails = {
  /** The account that the link logs in to; null when the link has expired or was used. */
  readonly email: string | null
  /** True if a user is signed in and a different browser session requested the link. */
  readonly isForeign: boolean
  /** True if the link is for the account that is signed in. */
  readonly isOwnAccount: boolean
  /** Form field that proves the consent of the signed-in user. Null without a session. */
  readonly proof: string | null
}

/** Values of `?checkout=` after a return from Stripe. `busy`: another request of the same payer runs; `retryAfterS` has the seconds to wait. A page with this parameter is read from D1 instead of the first-page cache. */
export const checkoutResults = ['done', 'pending', 'subscribed', 'returned', 'no-customer', 'busy', 'failed'] as const
export type CheckoutResult = (typeof checkoutResults)[number]
/** GET /api/auth/list-sessions, as better-auth sends it: times are ISO strings. */
export type SessionsBody = readonly {
  readonly id: string
  readonly token: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly ipAddress?: string | null
  readonly userAgent?: string | null
}[]
