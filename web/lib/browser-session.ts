/** The session of this tab: one attempt at a time, shared by everyone who asks, and word to the other tabs when it ends. */
import { inlinedPage } from './inlined-page.ts'
import { pageHint } from './page-hint.ts'
import { publicUrls } from './public-urls.ts'
import { claimsOf, endSession, fetchIdentity, type Identity, identify } from './session.ts'

/** Known without asking: the page may have brought it. Forgotten with the session. */
let atHand: Identity | null = identityFrom(inlinedPage?.syncToken)
let attempt: Promise<Identity> | null = null

/** An identity for at once, with a token that will live long enough to connect with: a page may be shown again hours after it was served. */
export function identityAtHand(): Identity | null {
  return atHand && claimsOf(atHand.token).expiresAtMs - Date.now() > minTokenLifeMs ? atHand : null
}

const minTokenLifeMs = 30_000

function identityFrom(token: string | null | undefined): Identity | null {
  if (!token) return null
  try {
    return { userId: claimsOf(token).sub, token }
  } catch {
    // The server is asked for another one.
    return null
  }
}

/** The identity of this tab. Everyone shares one attempt; a failed one is forgotten, so that Retry starts afresh. */
export function currentIdentity(): Promise<Identity> {
  attempt ??= begin().catch((error: unknown) => {
    attempt = null
    throw error
  })
  return attempt
}

async function begin(): Promise<Identity> {
  return identityAtHand() ?? identify({ ...callDeps(), isRecognised: pageHint.userId !== null, exclusively })
}

/** A new token for the same person, or for whoever has signed in meanwhile; null when nobody has. */
export async function renewIdentity(): Promise<Identity | null> {
  const identity = await fetchIdentity(callDeps())
  atHand = identity
  attempt = identity && Promise.resolve(identity)
  return identity
}

const channel = new BroadcastChannel('parley:session')

/** Signs out here and in every other tab. */
export async function signOut(): Promise<void> {
  await endSession(callDeps())
  forget()
  channel.postMessage('signed-out')
}

/** Calls back when another tab has signed out. */
export function onSignedOutElsewhere(listener: () => void): () => void {
  const onMessage = (event: MessageEvent) => {
    if (event.data !== 'signed-out') return
    forget()
    listener()
  }
  channel.addEventListener('message', onMessage)
  return () => channel.removeEventListener('message', onMessage)
}

function forget(): void {
  atHand = null
  attempt = null
}

const callDeps = () => ({ fetch: fetch.bind(window), apiUrl: publicUrls().apiUrl })

/** Two tabs opened together would otherwise make two guests, and one of them would lose its cookie. */
function exclusively<T>(work: () => Promise<T>): Promise<T> {
  // Locks exist only in secure contexts; plain http on a home network falls back to hoping.
  return 'locks' in navigator ? navigator.locks.request('parley:session', work) : work()
}
