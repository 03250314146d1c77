/**
 * Connects the session to live rows. Children mount once there is an identity and a sync client; until then the fallback is shown, and a
 * failure shows the error view with Retry. Renewing the token does not remount them; a different user does.
 */
import type { UpdateNeededReason } from '@rocicorp/zero'
import { useConnectionState, useQuery, useZero, ZeroProvider } from '@rocicorp/zero/react'
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { mutators } from '../../worker/contract/mutators.ts'
import { queries } from '../../worker/contract/queries.ts'
import { schema } from '../../worker/contract/schema.ts'
import {
  cachedIdentity,
  currentIdentity,
  endLocalSession,
  onSignedInElsewhere,
  onSignedOutElsewhere,
  renewIdentity,
  signOut,
  takeNewGuest,
} from '../lib/browser-session.ts'
import { pageSettings } from '../lib/page-settings.ts'
import { publicUrls } from '../lib/public-urls.ts'
import { serverNowMs } from '../lib/server-clock.ts'
import { claimsOf, type Identity, LoggedOutError, retryDelayMs } from '../lib/session.ts'
import { sleep } from '../lib/sleep.ts'
import { options } from './query-options.ts'
import { lockRows, removeRowsExcept, useRowStorage } from './row-storage.ts'
import { type Urgency, urgencyOf } from './update.ts'

type SyncProviderProps = {
  readonly children: ReactNode
  readonly fallback: ReactNode
  readonly failure: (error: unknown, retry: () => void) => ReactNode
  /** The session has ended: here through `signOutHere`, in another tab, or on the server. */
  readonly onSignedOut: () => void
  /** The user whose rows this browser has. The shell opens with them, before the server confirms the session. */
  readonly lastUserId: () => string | null
  /**
   * Called before anything renders for a user. The browser may hold data of another user whose session ended unnoticed; a new guest is
   * always another user.
   */
  readonly onUser: (userId: string, isNewGuest: boolean) => void
  /** The server or another tab has a newer version than this page. Must be the same function at every render. */
  readonly onUpdateNeeded: (urgency: Urgency) => void
  /** This browser stores no rows. Must be the same function at every render. */
  readonly onUnstoredRows: () => void
}

/** `token`: null until the server is reached. */
type UserIdentity = { readonly userId: string; readonly token: string | null }

type State =
  | { readonly name: 'identifying' }
  | { readonly name: 'identified'; readonly identity: UserIdentity }
  | { readonly name: 'failed'; readonly error: unknown; readonly attempts: number }

export function SyncProvider(props: SyncProviderProps) {
  const { children, fallback, failure, onSignedOut: onEnded, lastUserId, onUser, onUpdateNeeded, onUnstoredRows } = props
  // This tab may be the last one that shows the rows.
  const onSignedOut = useCallback(() => {
    onEnded()
    void removeRowsExcept(null)
  }, [onEnded])
  const [state, setState] = useState<State>(() => {
    const identity = cachedIdentity() ?? userOfShell(lastUserId)
    if (identity) onUser(identity.userId, takeNewGuest())
    return identity ? { name: 'identified', identity } : { name: 'identifying' }
  })

  // While the failure view is visible, the request is retried in the background.
  const attempts = state.name === 'failed' ? state.attempts : 0
  useEffect(() => {
    if (state.name === 'identified') return undefined
    let isCurrent = true
    const attempt = () =>
      currentIdentity().then(
        (identity) => {
          if (!isCurrent) return
          onUser(identity.userId, takeNewGuest())
          setState({ name: 'identified', identity })
        },
        (error: unknown) => {
          if (!isCurrent) return
          if (error instanceof LoggedOutError) onSignedOut()
          else setState({ name: 'failed', error, attempts: attempts + 1 })
        },
      )
    const timer = setTimeout(() => void attempt(), retryDelayMs(attempts))
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [state.name, attempts, onSignedOut, onUser])

  useEffect(() => onSignedOutElsewhere(onSignedOut), [onSignedOut])
  const onIdentity = useCallback((identity: Identity) => setState({ name: 'identified', identity }), [])

  switch (state.name) {
    case 'identifying':
      return fallback
    case 'failed':
      return failure(state.error, () => setState({ name: 'identifying' }))
    case 'identified':
      return (
        <Connected key={state.identity.userId} identity={state.identity} onUpdateNeeded={onUpdateNeeded} onUnstoredRows={onUnstoredRows}>
          <TokenRefresh token={state.identity.token} onIdentity={onIdentity} onUser={onUser} onSignedOut={onSignedOut} />
          {children}
        </Connected>
      )
  }
}

function userOfShell(lastUserId: () => string | null): UserIdentity | null {
  const userId = pageSettings.isShell ? lastUserId() : null
  return userId === null ? null : { userId, token: null }
}

/**
 * After a minute without a connection, Zero's default, the client would refuse writes. Chosen: a day, so that offline writes stay in order
 * and on disk.
 */
const disconnectTimeoutMs = 24 * 60 * 60 * 1000

/** Chosen: a hidden page stays connected for the longest answers, to notify the user. Zero's default is 5 minutes. */
const hiddenTabDisconnectMs = 30 * 60 * 1000

type ConnectedProps = Pick<SyncProviderProps, 'children' | 'onUpdateNeeded' | 'onUnstoredRows'> & { readonly identity: UserIdentity }

function Connected({ identity, onUpdateNeeded, onUnstoredRows, children }: ConnectedProps) {
  const { userId, token } = identity
  // A new object here would create a new client, so values that the provider compares by identity are memoised.
  const context = useMemo(() => ({ userId }), [userId])
  const { syncUrl } = publicUrls()
  const { kvStore, storageKey, logSink } = useRowStorage(onUnstoredRows)
  // Without a handler for lost client state, the provider creates a new client in place, as intended.
  const onReason = useCallback(({ type }: UpdateNeededReason) => onUpdateNeeded(urgencyOf(type)), [onUpdateNeeded])
  useEffect(() => lockRows(userId), [userId])
  // Without a token the server has not confirmed who the user is.
  const isConfirmed = token !== null
  useEffect(() => {
    if (isConfirmed) void removeRowsExcept(userId)
  }, [isConfirmed, userId])
  return (
    <ZeroProvider
      cacheURL={syncUrl}
      userID={userId}
      // The provider creates a new client, and loses unsent writes, when `auth` changes to or from undefined.
      auth={token ?? ''}
      schema={schema}
      mutators={mutators}
      context={context}
      disconnectTimeoutMs={disconnectTimeoutMs}
      hiddenTabDisconnectDelay={hiddenTabDisconnectMs}
      onUpdateNeeded={onReason}
      kvStore={kvStore}
      storageKey={storageKey}
      logSink={logSink}
    >
      {children}
    </ZeroProvider>
  )
}

type TokenRefreshProps = Pick<SyncProviderProps, 'onUser' | 'onSignedOut'> & {
  readonly token: string | null
  readonly onIdentity: (identity: Identity) => void
}

/** Renews the token before it expires, and at once when the server requests a new one. */
function TokenRefresh({ token, onIdentity, onUser, onSignedOut }: TokenRefreshProps) {
  const zero = useZero()
  const isRefused = useConnectionState().name === 'needs-auth'
  const renewedAtRef = useRef(Number.NEGATIVE_INFINITY)
  const [me] = useQuery(queries.me(), options)
  const isGuest = me?.isAnonymous === true

  /** Handles a renewed token of the same user, the account that a guest became, or another user. */
  const take = useCallback(
    (identity: Identity) => {
      const isOther = identity.userId !== zero.userID
      if (isOther) onUser(identity.userId, takeNewGuest())
      onIdentity(identity)
    },
    [zero, onIdentity, onUser],
  )

  // All tabs share the cookie, so a token requested now belongs to the account.
  useEffect(
    () =>
      onSignedInElsewhere((userId) => {
        if (userId !== zero.userID)
          void renewIdentity().then(
            (identity) => identity && take(identity),
            () => undefined,
          )
      }),
    [zero, take],
  )

  useEffect(() => {
    let isCurrent = true
    let timer: ReturnType<typeof setTimeout>
    const renewOnce = async () => {
      renewedAtRef.current = performance.now()
      let identity = await renewIdentity()
      // When a guest signs in from another tab, the guest session ends shortly before the new cookie arrives.
      if (!identity && isGuest) identity = await sleep(cookieArrivesMs).then(renewIdentity)
      if (!isCurrent) return
      if (!identity) return onSignedOut()
      // An equal token changes no prop, so a paused client must be resumed explicitly.
      if (isRefused) await zero.connection.connect({ auth: identity.token })
      take(identity)
    }
    // The connection state shows a failure already. The token outlives the next attempt, or the server sends `needs-auth`.
    const retryLater = () => {
      if (isCurrent) timer = setTimeout(renew, retryMs)
    }
    const renew = () => void renewOnce().catch(retryLater)
    // Limits the rate when the server refuses fresh tokens as well.
    const calmMs = Math.max(0, renewedAtRef.current + retryMs - performance.now())
    const isUrgent = isRefused || token === null
    timer = setTimeout(renew, isUrgent ? calmMs : renewalDelayMs(claimsOf(token).expiresAtMs, serverNowMs()))
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [zero, token, isRefused, isGuest, take, onSignedOut])

  return null
}

const retryMs = 5000
const cookieArrivesMs = 1500

/** After four fifths of the remaining lifetime, but at least 30 s, so that a wrong clock cannot cause a request loop. */
const renewalDelayMs = (expiresAtMs: number, nowMs: number): number => Math.max(30_000, (expiresAtMs - nowMs) * 0.8)

/** The account and its sessions are deleted: removes the user's local rows once no tab shows them. */
export function leaveSession(): void {
  endLocalSession()
  void removeRowsExcept(null)
}

/** Ends the session and removes the user's local rows once no tab shows them. The caller navigates afterwards. */
export async function signOutHere(): Promise<void> {
  await signOut()
  void removeRowsExcept(null)
}
