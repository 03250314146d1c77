// Every endpoint of better-auth, called without a session, with an expired one, with an unsigned cookie, and by a user with the ids of
// another user. Those that require a session do nothing without one. An endpoint without a row fails, so that new endpoints of an upgrade
// are reviewed.
import { beforeAll, describe, expect, test } from 'vitest'
import { createAuth } from '../../../worker/auth/auth.ts'
import { mustSettings } from '../../../worker/settings.ts'
import { Browser } from '../auth/browser.ts'
import { env } from '../bindings.ts'
import { newTestUser, type Scene, setScene } from './scene.ts'

type Kind =
  /** For visitors, or without user data. */
  | 'open'
  /** For signed-in users, about themselves. */
  | 'session'
  /** About an organization: `organization-matrix.test.ts` has the rest. */
  | 'organization'
  /** Passwords and unused features: better-auth always has these endpoints, and they must refuse. */
  | 'off'

const kinds: { readonly [kind in Kind]: readonly string[] } = {
  open: [
    ...['/sign-in/social', '/callback/:id', '/get-session', '/sign-out', '/sign-in/anonymous', '/sign-in/magic-link', '/magic-link/verify'],
    ...['/email-otp/send-verification-otp', '/sign-in/email-otp', '/jwks', '/ok', '/error', '/email-otp/check-verification-otp'],
    ...['/email-otp/verify-email', '/verify-email', '/send-verification-email'],
  ],
  session: [
    ...[
      '/update-session',
      '/update-user',
      '/delete-user',
      '/list-sessions',
      '/revoke-session',
      '/revoke-sessions',
      '/revoke-other-sessions',
    ],
    ...[
      '/link-social',
      '/list-accounts',
      '/delete-user/callback',
      '/unlink-account',
      '/refresh-token',
      '/get-access-token',
      '/account-info',
    ],
    ...['/delete-anonymous-user', '/token', '/change-email', '/email-otp/request-email-change', '/email-otp/change-email'],
  ],
  organization: [
    ...['create', 'update', 'delete', 'set-active', 'get-organization', 'get-full-organization', 'list', 'invite-member'],
    ...['cancel-invitation', 'accept-invitation', 'get-invitation', 'reject-invitation', 'list-invitations', 'get-active-member'],
    ...['check-slug', 'remove-member', 'update-member-role', 'leave', 'list-user-invitations', 'list-members', 'get-active-member-role'],
    ...['create-team', 'list-teams', 'remove-team', 'update-team', 'set-active-team', 'list-user-teams', 'list-team-members'],
    ...['add-team-member', 'remove-team-member', 'has-permission'],
  ].map((name) => `/organization/${name}`),
  off: [
    ...['/sign-up/email', '/sign-in/email', '/reset-password', '/verify-password', '/change-password', '/request-password-reset'],
    ...['/reset-password/:token', '/email-otp/request-password-reset', '/forget-password/email-otp', '/email-otp/reset-password'],
  ],
}

type Endpoint = { readonly path: string; readonly method: 'GET' | 'POST' }

/** Endpoints served over HTTP; better-auth's other functions are for the server only. */
function endpoints(): Endpoint[] {
  const { api } = createAuth(env, mustSettings(env), 'http://localhost')
  const all = Object.values(api) as { path?: string; options?: { method?: string | string[]; metadata?: { SERVER_ONLY?: boolean } } }[]
  return all.flatMap(({ path, options }) =>
    path === undefined || options?.metadata?.SERVER_ONLY === true
      ? []
      : [{ path, method: [options?.method ?? 'GET'].flat().includes('POST') ? 'POST' : 'GET' } as const],
  )
}

let scene: Scene
/** In the owner's browser. */
let session: { readonly id: string; readonly token: string }

beforeAll(async () => {
  scene = await setScene()
  const found = await scene.owner.browser.json<{ session: { id: string; token: string } }>('/api/auth/get-session')
  session = found.session
})

test('every endpoint has its row', () => {
  const listed = Object.values(kinds).flat()
  expect([...new Set(endpoints().map(({ path }) => path))].sort()).toEqual([...listed].sort())
})

/** A body with every id of the owner. */
const bodyWithIds = () => ({
  ...scene.ids,
  token: session.token,
  id: session.id,
  email: 'owner@example.test',
  accountId: scene.ids.userId,
  providerId: 'google',
  memberId: scene.ids.userId,
  name: 'Changed',
  data: { name: 'Changed' },
  role: 'owner',
})

const callAs = (browser: Browser, { path, method }: Endpoint): Promise<Response> => {
  const full = `/api/auth${path.replace(/:(\w+)/, scene.ids.userId)}`
  if (method === 'POST') return browser.call(full, { body: bodyWithIds() })
  return browser.call(
    `${full}?${new URLSearchParams({ organizationId: scene.ids.organizationId, token: session.token, userId: scene.ids.userId })}`,
  )
}

/** All rows of the directory about the owner. */
async function aboutOwner(): Promise<string> {
  const { userId, organizationId } = scene.ids
  const found = await env.DB.batch([
    env.DB.prepare('select * from user where id = ?').bind(userId),
    env.DB.prepare('select id, userId, token, expiresAt, activeOrganizationId from session where userId = ? order by id').bind(userId),
    env.DB.prepare('select * from account where userId = ? order by id').bind(userId),
    env.DB.prepare('select * from organization where id = ?').bind(organizationId),
    env.DB.prepare('select * from member where organizationId = ? order by id').bind(organizationId),
    env.DB.prepare('select * from invitation where organizationId = ? order by id').bind(organizationId),
    env.DB.prepare('select * from team where organizationId = ? order by id').bind(organizationId),
  ])
  return JSON.stringify(found.map(({ results }) => results))
}

const signedOut = async (): Promise<Browser> => new Browser()
let endedUser: Browser | undefined
const ended = async (): Promise<Browser> => {
  if (endedUser) return endedUser
  const { browser, userId } = await newTestUser(false)
  await env.DB.prepare('update session set expiresAt = 1 where userId = ?').bind(userId).run()
  endedUser = browser
  return browser
}
const forger = async (): Promise<Browser> => {
  const browser = new Browser()
  browser.wear(`better-auth.session_token=${session.token}.bm90IHNpZ25lZA%3D%3D`)
  return browser
}

const viewers = { 'without a session': signedOut, 'with a session that has ended': ended, 'with an unsigned cookie': forger }

describe.each(Object.entries(viewers))('%s', (_name, arrive) => {
  test('refuses every request that requires a session, and nothing happens', async () => {
    const before = await aboutOwner()
    const wrong: string[] = []
    const closed = new Set([...kinds.session, ...kinds.organization, ...kinds.off])
    for (const endpoint of endpoints().filter(({ path }) => closed.has(path))) {
      const { status } = await callAs(await arrive(), endpoint)
      // A link in a mail redirects to a page, which states that it has expired.
      const isRefused = status >= 400 && status < 500
      const isSentBack = status === 302 && endpoint.path.startsWith('/reset-password/')
      if (!isRefused && !isSentBack) wrong.push(`${endpoint.method} ${endpoint.path}: ${status}`)
    }
    expect(wrong).toEqual([])
    expect(await aboutOwner()).toBe(before)
  })
})

describe.each([
  ['guest', false],
  ['account', true],
] as const)('as a %s with the owner’s ids', (_who, withAccount) => {
  test('no row of the owner changes, and no server error occurs', async () => {
    const before = await aboutOwner()
    const faults: string[] = []
    let { browser } = await newTestUser(withAccount)
    for (const endpoint of endpoints()) {
      // Some of the calls end the caller's own session.
      if ((await browser.json<object | null>('/api/auth/get-session')) === null) browser = (await newTestUser(withAccount)).browser
      const { status } = await callAs(browser, endpoint)
      if (status >= 500) faults.push(`${endpoint.method} ${endpoint.path}: ${status}`)
    }
    expect(faults).toEqual([])
    expect(await aboutOwner()).toBe(before)
  })
})
