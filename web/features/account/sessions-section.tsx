/** The user's sessions, each with a button to revoke it. Sessions are not synced, because their rows contain tokens, so the list is polled while the page is visible. */
import { Laptop, type LucideIcon, Smartphone, Tablet, Terminal } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import * as z from 'zod/mini'
import type { SessionsBody } from '../../../worker/contract/http.ts'
import { type AuthResult, authCall } from '../../lib/auth-call.ts'
import { readFromTab, storeInTab } from '../../lib/browser-storage.ts'
import { type Device, deviceOf } from '../../lib/device.ts'
import { ageText } from '../../lib/i18n/format-age.ts'
import { useServerNow } from '../../lib/server-clock.ts'
import { libText } from '../../lib/texts/en.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Section } from '../../ui/section.tsx'
import { toast } from '../../ui/toaster.tsx'
import { t } from './texts/en.ts'

type SessionRow = SessionsBody[number]
type LoadedSessions = { readonly sessions: SessionsBody; readonly currentId: string | null }
type SessionsState = { readonly status: 'failed'; readonly message: string } | ({ readonly status: 'loaded' } & LoadedSessions)
type CurrentSession = { readonly session: { readonly id: string } } | null

/** `state`: null while the list loads for the first time. */
type Sessions = { readonly state: SessionsState | null; readonly refresh: () => Promise<void> }

/** Chosen: an open list shows a new device within this time. */
const refreshMs = 15_000

export function useSessions(): Sessions {
  const [state, setState] = useState<SessionsState | null>(null)
  const refresh = useCallback(async () => {
    await endReplacedSessions()
    const [list, current] = await Promise.all([authCall<SessionsBody>('list-sessions'), authCall<CurrentSession>('get-session')])
    setState((before) => sessionsAfter(before, list, current))
  }, [])
  useEffect(() => {
    void refresh()
    const whenVisible = () => document.visibilityState === 'visible' && void refresh()
    const timer = setInterval(whenVisible, refreshMs)
    document.addEventListener('visibilitychange', whenVisible)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', whenVisible)
    }
  }, [refresh])
  return { state, refresh }
}

/** Keeps the last list, or the last id of the current session, if a later request fails. */
export function sessionsAfter(
  before: SessionsState | null,
  list: AuthResult<SessionsBody>,
  current: AuthResult<CurrentSession>,
): SessionsState {
  const loaded = before?.status === 'loaded' ? before : null
  if (!list.ok) return loaded ?? { status: 'failed', message: list.message }
  if (current.ok) return { status: 'loaded', sessions: list.body, currentId: current.body?.session.id ?? null }
  // Without its id, the row of the current session would offer "Revoke" instead of "Log out".
  return loaded ? { ...loaded, sessions: list.body } : { status: 'failed', message: current.message }
}

type SessionsSectionProps = { readonly state: SessionsState; readonly refresh: () => Promise<void>; readonly onLogout: () => void }

export function SessionsSection({ state, refresh, onLogout }: SessionsSectionProps) {
  const [revoking, setRevoking] = useState<SessionRow | 'others' | null>(null)
  const [isPending, setPending] = useState(false)
  const revoke = async () => {
    if (revoking === null) return
    setPending(true)
    const result =
      revoking === 'others' ? await authCall('revoke-other-sessions', {}) : await authCall('revoke-session', { token: revoking.token })
    if (result.ok) await refresh()
    setPending(false)
    setRevoking(null)
    if (result.ok) toast('success', t(revoking === 'others' ? 'othersRevoked' : 'sessionRevoked'))
    else toast('error', t('revokeFailed'), { description: result.message })
  }
  return (
    <Section title={t('sessions')} description={t('sessionsDescription')}>
      {state.status === 'failed' && (
        <div className="flex items-center justify-between gap-4 rounded-lg border px-4 py-3">
          <p>{state.message}</p>
          <Button size="sm" onClick={() => void refresh()}>
            {libText('tryAgain')}
          </Button>
        </div>
      )}
      {state.status === 'loaded' && (
        <>
          <ul className="divide-y rounded-lg border">
            {currentThenNewest(state).map((session) => (
              <SessionItem
                key={session.id}
                session={session}
                isCurrent={session.id === state.currentId}
                onRevoke={session.id === state.currentId ? onLogout : () => setRevoking(session)}
              />
            ))}
          </ul>
          {state.sessions.length > 1 && (
            <Button className="mt-3" onClick={() => setRevoking('others')}>
              {t('revokeOthers')}
            </Button>
          )}
        </>
      )}
      <ConfirmDialog
        open={revoking !== null}
        title={t(revoking === 'others' ? 'revokeSessions' : 'revokeSession')}
        text={t(revoking === 'others' ? 'revokeOthersQuestion' : 'revokeQuestion')}
        action={t('revoke')}
        variant="danger"
        pending={isPending}
        onConfirm={() => void revoke()}
        onClose={() => setRevoking(null)}
      />
    </Section>
  )
}

const currentThenNewest = ({ sessions, currentId }: LoadedSessions): SessionsBody =>
  [...sessions].sort((a, b) => Number(b.id === currentId) - Number(a.id === currentId) || Date.parse(b.createdAt) - Date.parse(a.createdAt))

const icons: Record<Device['kind'], LucideIcon> = { phone: Smartphone, tablet: Tablet, desktop: Laptop, program: Terminal }

type SessionItemProps = { readonly session: SessionRow; readonly isCurrent: boolean; readonly onRevoke: () => void }

function SessionItem({ session, isCurrent, onRevoke }: SessionItemProps) {
  const { kind, name } = deviceOf(session.userAgent)
  const Icon = icons[kind]
  const since = loginTimeText(Date.parse(session.createdAt), useServerNow())
  return (
    <li className="flex items-center gap-3.5 px-4 py-3">
      <Icon aria-hidden="true" className="size-5 shrink-0 text-muted-foreground" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="truncate font-medium">{name}</span>
          {isCurrent && <Badge tone="accent">{t('current')}</Badge>}
        </p>
        <p className="text-xs wrap-anywhere text-muted-foreground">{session.ipAddress ? `${since} · ${session.ipAddress}` : since}</p>
      </div>
      <Button size="sm" aria-label={isCurrent ? t('logOutOfThis') : t('revokeNamed', { device: name })} onClick={onRevoke}>
        {t(isCurrent ? 'logOut' : 'revoke')}
      </Button>
    </li>
  )
}

/** "Logged in 2 days ago"; from one week on, with the date. */
export const loginTimeText = (atMs: number, nowMs: number): string =>
  ageText(atMs, nowMs, {
    justNow: () => t('loggedInAge', { age: t('justNow') }),
    age: (age) => t('loggedInAge', { age }),
    date: (date) => t('loggedInOn', { date }),
  })

/**
 * Sessions that the user is replacing by logging in again. The old session would remain in the list without a browser. It is ended after
 * this browser has the new session; ended earlier, other tabs would be signed out.
 */
const key = 'parley:replaced-sessions'

const sessionSchema = z.object({ id: z.string(), userId: z.string() })
const sessionsSchema = z.array(sessionSchema)

type SessionId = z.infer<typeof sessionSchema>

/** Chosen: bounds the stored list. */
const maxStored = 20

const ownSession = async (): Promise<SessionId | null> => {
  const own = await authCall<{ session: SessionId } | null>('get-session')
  return own.ok ? (own.body?.session ?? null) : null
}

/** Empty if the stored value is invalid. */
const replacedSessions = (): readonly SessionId[] => sessionsSchema.safeParse(readFromTab(key)).data ?? []

const store = (replaced: readonly SessionId[]): void => storeInTab(key, replaced.length === 0 ? null : replaced.slice(-maxStored))

/**
 * Stores ids only, no credentials. Entries of other users stay: a user who selected the wrong account at the provider selects the right one
 * next.
 */
export async function rememberSession(): Promise<void> {
  const own = await ownSession()
  if (own) store([...replacedSessions().filter(({ id }) => id !== own.id), { id: own.id, userId: own.userId }])
}

/** Ends the replaced sessions of the current user, never the session of this browser. The next call retries failures. */
export async function endReplacedSessions(): Promise<void> {
  if (replacedSessions().length === 0) return store([])
  const own = await ownSession()
  if (!own) return
  const ended = replacedSessions().filter(({ id, userId }) => userId === own.userId && id !== own.id)
  if (ended.length === 0) return
  const list = await authCall<SessionsBody>('list-sessions')
  if (!list.ok) return
  for (const { id } of ended) {
    const replaced = list.body.find((session) => session.id === id)
    if (replaced && !(await authCall('revoke-session', { token: replaced.token })).ok) continue
    store(replacedSessions().filter((session) => session.id !== id))
  }
}
