/** The session of this tab: one shared attempt at a time, and messages to the other tabs when it changes. */
import { readFromTab, storeInTab } from './browser-storage.ts'
import { solveCaptcha } from './captcha.ts'
import { inlinedPage, pageSettings } from './page-settings.ts'
import { publicUrls } from './public-urls.ts'
import { recordServerTime, serverNowMs } from './server-clock.ts'
import { claimsOf, endSession, fetchIdentity, type Identity, identify } from './session.ts'

/** The known identity, initially from the page's HTML. Cleared with the session. */
let cached: Identity | null = identityFrom(inlinedPage?.syncToken)
let attempt: Promise<Identity> | null = null
let hasNewGuest = false

/** The known identity if its token is valid long enough to connect: a page may be shown again hours after it was served. */
export function cachedIdentity(): Identity | null {
  return cached && claimsOf(cached.token).expiresAtMs - serverNowMs() > minTokenLifeMs ? cached : null
}

const minTokenLifeMs = 30_000

/** A token to send with a request, so that the server need not look up the cookie; null if none is valid long enough. */
export const cachedToken = (): string | null => cachedIdentity()?.token ?? null

/** Token times are in whole seconds, rounded down: 500 ms corrects the average error. */
function readClock(token: string, seenAtMs: number): void {
  const { issuedAtMs } = claimsOf(token)
  if (issuedAtMs !== null) recordServerTime(issuedAtMs + 500, seenAtMs)
}

function identityFrom(token: string | null | undefined): Identity | null {
  if (!token) return null
  try {
    return { userId: claimsOf(token).sub, token }
  } catch {
    // The caller requests a new one.
    return null
  }
}

/** The identity of this tab. All callers share one attempt; a failed attempt is dropped, so that Retry starts again. */
export function currentIdentity(): Promise<Identity> {
  attempt ??= begin().catch((error: unknown) => {
    attempt = null
    throw error
  })
  return attempt
}

async function begin(): Promise<Identity> {
  const mayStartGuest = () => !isLoggedOutInTab()
  const storedIdentity = cachedIdentity()
  if (storedIdentity) return storedIdentity
  const onNewGuest = () => {
    hasNewGuest = true
    broadcast('new-guest')
  }
  const identity = await identify({
    ...callDeps(),
    isRecognised: pageSettings.userId !== null,
    mayStartGuest,
    onNewGuest,
    exclusively,
    solveCaptcha: () => solveCaptcha('guest'),
  })
  readClock(identity.token, Date.now())
  cached = identity
  return identity
}

/** True once after a new guest started in this tab or another one; the browser may have belonged to another user before. */
export function takeNewGuest(): boolean {
  const isNew = hasNewGuest
  hasNewGuest = false
  return isNew
}

/** Set in a tab that was logged out: going back in its history must not create a guest. */
const loggedOutKey = 'parley:logged-out'

/** True if the session of this page has ended in this tab. */
export const isLoggedOutInTab = (): boolean => readFromTab(loggedOutKey) !== null

/** Allows this tab to start as a guest again, on the user's request. */
export const allowGuest = (): void => storeInTab(loggedOutKey, null)

// A typed address or a followed link may start a guest; going back may not.
const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
if (navigation?.type !== 'back_forward') allowGuest()

// After going back, the page's token is as old as the page, so its time is useless.
if (cached && navigation && navigation.type !== 'back_forward') readClock(cached.token, performance.timeOrigin + navigation.responseStart)

/** A new token for the same user, or for another user who has signed in meanwhile; null without a session. */
export async function renewIdentity(): Promise<Identity | null> {
  const identity = await fetchIdentity(callDeps())
  if (!identity) {
    clearSession()
    return null
  }
  readClock(identity.token, Date.now())
  cached = identity
  attempt = Promise.resolve(identity)
  allowGuest()
  return identity
}

const channel = new BroadcastChannel('parley:session')

type News = 'signed-out' | 'new-guest' | { readonly signedIn: string }

const broadcast = (news: News): void => channel.postMessage(news)

// Each tab reads `hasNewGuest` later and then deletes the texts of the previous user.
channel.addEventListener('message', ({ data }: MessageEvent<News>) => {
  if (data === 'new-guest') hasNewGuest = true
})

// A page that was served to an account may be the redirect target of a sign-in by link or provider.
const served = inlinedPage?.firstPage.user
if (served && served.isAnonymous !== true) announceSignIn(served.id)

/** This browser has signed in to an account; its other tabs follow. */
export function announceSignIn(userId: string): void {
  broadcast({ signedIn: userId })
  allowGuest()
}

/** Calls back when another tab has signed in or was already signed in. */
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
  endLocalSession()
}

/** The session has ended: updates this tab and every other one. */
export function endLocalSession(): void {
  clearSession()
  broadcast('signed-out')
}

/** Calls back when another tab has signed out. */
export function onSignedOutElsewhere(listener: () => void): () => void {
  const onMessage = (event: MessageEvent) => {
    if (event.data !== 'signed-out') return
    clearSession()
    listener()
  }
  channel.addEventListener('message', onMessage)
  return () => channel.removeEventListener('message', onMessage)
}

function clearSession(): void {
  cached = null
  attempt = null
  storeInTab(loggedOutKey, true)
}

const callDeps = () => ({ fetch: fetch.bind(window), apiUrl: publicUrls().apiUrl })

/** Without the lock, two tabs that open together would create two guests, and one of them would lose its cookie. */
function exclusively<T>(work: () => Promise<T>): Promise<T> {
  // Locks exist only in secure contexts. Plain HTTP works without the lock.
  return 'locks' in navigator ? navigator.locks.request('parley:session', work) : work()
}
