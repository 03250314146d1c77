/** A registered person of a running product, over HTTP as a browser would: signs in by a code from the development outbox. */
export type Account = {
  readonly userId: string
  readonly email: string
  readonly cookie: string
  /** Never follows a redirect. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  post<T>(path: string, body: unknown): Promise<T>
}

export async function newAccount(url: string, email: string, userAgent = 'node'): Promise<Account> {
  const json = { origin: url, 'content-type': 'application/json', 'user-agent': userAgent }
  const call = (path: string, body: unknown, headers = {}) =>
    fetch(url + path, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) })
  await call('/api/auth/email-otp/send-verification-otp', { email, type: 'sign-in' })
  const { mails } = (await (await fetch(`${url}/api/outbox`)).json()) as { mails: { to: string; body: string }[] }
  const otp = mails.find(({ to }) => to === email)?.body.match(/\b\d{6}\b/)?.[0]
  const signedIn = await call('/api/auth/sign-in/email-otp', { email, otp })
  if (!signedIn.ok) throw new Error(`signing in answered ${signedIn.status}: ${await signedIn.text()}`)
  const { user } = (await signedIn.json()) as { user: { id: string } }
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0] ?? '')
    .join('; ')
  const headers = { cookie, origin: url }
  return {
    userId: user.id,
    email,
    cookie,
    fetch: (path, init = {}) =>
      fetch(new URL(path, url), { redirect: 'manual', ...init, headers: { ...headers, ...Object.fromEntries(new Headers(init.headers)) } }),
    post: async <T>(path: string, body: unknown) => {
      const answer = await call(path, body, headers)
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
      return (await answer.json()) as T
    },
  }
}
