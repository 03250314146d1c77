/** The session of this tab: one attempt at a time, shared by everyone who asks, and word to the other tabs when it ends. */
import { solveCaptcha } from './captcha.ts'
import { inlinedPage } from './inlined-page.ts'
import { pageHint } from './page-hint.ts'
import { publicUrls } from './public-urls.ts'
import { heardServerTime, serverNowMs } from './server-clock.ts'
import { claimsOf, endSession, fetchIdentity, type Identity, identify } from './session.ts'

/** Known without asking: the page may have brought it. Forgotten with the session. */
let atHand: Identity | null = identityFrom(inlinedPage?.syncToken)
let attempt: Promise<Identity> | null = null
let hasNewGuest = false

/** An identity for at once, with a token that will live long enough to connect with: a page may be shown again hours after it was served. */
export function identityAtHand(): Identity | null {
  return atHand && claimsOf(atHand.token).expiresAtMs - serverNowMs() > minTokenLifeMs ? atHand : null
}

const minTokenLifeMs = 30_000

/** What a request may bring along so that nobody has to look its cookie up; null when there is none that lasts. */
export const tokenAtHand = (): string | null => identityAtHand()?.token ?? null

/** Seconds are cut off in a token: on average it is half of one older. */
function readClock(token: string, seenAtMs: number): void {
  const { issuedAtMs } = claimsOf(token)
  if (issuedAtMs !== null) heardServerTime(issuedAtMs + 500, seenAtMs)
}

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
  const mayStartGuest = () => !hasLeft()
  const known = identityAtHand()
  if (known) return known
  const onNewGuest = () => {
    hasNewGuest = true
    tell('new-guest')
  }
  const identity = await identify({
    ...callDeps(),
    isRecognised: pageHint.userId !== null,
    mayStartGuest,
    onNewGuest,
    exclusively,
    solveCaptcha: () => solveCaptcha('guest'),
  })
  readClock(identity.token, Date.now())
  atHand = identity
  return identity
}

/** Whether somebody new has begun, in this tab or in another one, whose browser this may not have been before. Said once. */
export function takeNewGuest(): boolean {
  const isNew = hasNewGuest
  hasNewGuest = false
  return isNew
}

/** Set in a tab that was logged out: going back in it must not make a guest of somebody who has just left. */
const loggedOutKey = 'parley:logged-out'

/** Whether the session that this page was served for has ended in this tab. */
export const hasLeft = (): boolean => sessionStorage.getItem(loggedOutKey) !== null

/** From here on this tab may start as a guest again, because the person said so. */
export const allowGuest = (): void => sessionStorage.removeItem(loggedOutKey)

// An address that is typed or a link that is followed is a wish to begin; only going back is none.
const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
if (navigation?.type !== 'back_forward') allowGuest()

// The page's own token is as old as the page, which is on show again after going back.
if (atHand && navigation && navigation.type !== 'back_forward') readClock(atHand.token, performance.timeOrigin + navigation.responseStart)

/** A new token for the same person, or for whoever has signed in meanwhile; null when nobody has. */
export async function renewIdentity(): Promise<Identity | null> {
  const identity = await fetchIdentity(callDeps())
  if (!identity) {
    forget()
    return null
  }
  readClock(identity.token, Date.now())
  atHand = identity
  attempt = Promise.resolve(identity)
  allowGuest()
  return identity
}

const channel = new BroadcastChannel('parley:session')

type News = 'signed-out' | 'new-guest' | { readonly signedIn: string }

const tell = (news: News): void => channel.postMessage(news)

// Each tab has read by now what somebody was writing who is gone.
channel.addEventListener('message', ({ data }: MessageEvent<News>) => {
  if (data === 'new-guest') hasNewGuest = true
})

// A page that was served to an account may be the end of a sign-in: of a link or a company's redirect.
const served = inlinedPage?.firstPage.user
if (served && served.isAnonymous !== true) announceSignIn(served.id)

/** This browser is an account's now; its other tabs follow. */
export function announceSignIn(userId: string): void {
  tell({ signedIn: userId })
  sessionStorage.removeItem(loggedOutKey)
}

/** Calls back when another tab has signed in, or was already. */
export function onSignedInElsewhere(listener: (userId: string) => void): () => void {
  const onMessage = ({ data }: MessageEvent<News>) => {
    if (typeof data === 'object' && typeof data.signedIn === 'string') listener(data.signedIn)
  }
  channel.addEventListener('message', onMessage)
  return () => channel.removeEventListener('message', onMessage)
}

/** Signs out here and in every other tab. */
export async function signOut(): Promise<void> {
  await endSession(callDeps())
  leaveSession()
}

/** The session has ended by what was just done: here and in every other tab. */
export function leaveSession(): void {
  forget()
  tell('signed-out')
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
  sessionStorage.setItem(loggedOutKey, '1')
}

const callDeps = () => ({ fetch: fetch.bind(window), apiUrl: publicUrls().apiUrl })

/** Two tabs opened together would otherwise make two guests, and one of them would lose its cookie. */
function exclusively<T>(work: () => Promise<T>): Promise<T> {
  // Locks exist only in secure contexts; plain http on a home network falls back to hoping.
  return 'locks' in navigator ? navigator.locks.request('parley:session', work) : work()
}
