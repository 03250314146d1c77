/** A user with an account in a running product, over HTTP like a browser: signs in by a code from the development outbox. */
import { type Guest, notKept } from './guest.ts'

export type Account = Guest & {
  readonly email: string
  /** Never follows a redirect. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  post<T>(path: string, body: unknown): Promise<T>
}

/** `guestCookie`: the session of a guest who logs in. */
export async function newAccount(url: string, email: string, userAgent = 'node', guestCookie = ''): Promise<Account> {
  const json = { ...notKept, origin: url, 'content-type': 'application/json', 'user-agent': userAgent }
  const call = (path: string, body: unknown, headers = {}) =>
    fetch(url + path, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) })
  await call('/api/auth/email-otp/send-verification-otp', { email, type: 'sign-in' })
  const { mails } = (await (await fetch(`${url}/api/outbox`, { headers: notKept })).json()) as { mails: { to: string; body: string }[] }
  const otp = mails.find(({ to }) => to === email)?.body.match(/\b\d{6}\b/)?.[0]
  const signedIn = await call('/api/auth/sign-in/email-otp', { email, otp }, guestCookie ? { cookie: guestCookie } : {})
  if (!signedIn.ok) throw new Error(`signing in answered ${signedIn.status}: ${await signedIn.text()}`)
  const { user } = (await signedIn.json()) as { user: { id: string } }
  // The last value of a name counts: the response first clears the guest's cookie.
  const cookies = new Map(signedIn.headers.getSetCookie().map((line) => [line.split('=')[0], line.split(';')[0]]))
  const headers = { cookie: [...cookies.values()].join('; '), origin: url }
  const fetchAs: Account['fetch'] = (path, init = {}) =>
    fetch(new URL(path, url), {
      redirect: 'manual',
      ...init,
      headers: { ...notKept, ...headers, ...Object.fromEntries(new Headers(init.headers)) },
    })
  return {
    url,
    userId: user.id,
    email,
    cookie: headers.cookie,
    fetch: fetchAs,
    token: async () => ((await (await fetchAs('/api/auth/token')).json()) as { token: string }).token,
    post: async <T>(path: string, body: unknown) => {
      const answer = await call(path, body, headers)
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
      return (await answer.json()) as T
    },
  }
}

/** Subscribes at the simulated checkout. */
export async function subscribe(account: Account): Promise<void> {
  const sentOn = async (path: string, init?: RequestInit) => {
    const answer = await account.fetch(path, init)
    const next = answer.headers.get('location')
    if (next === null) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return next
  }
  const checkout = await sentOn('/api/checkout')
  await sentOn(await sentOn(checkout, { method: 'POST' }))
}
