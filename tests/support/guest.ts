/** A guest of a running product, over HTTP as a browser would: sign in, then ask for the token of the sync socket. */
export type Guest = {
  readonly url: string
  readonly userId: string
  readonly cookie: string
  /** A fresh token; each lasts fifteen minutes. */
  token(): Promise<string>
  fetch(path: string, init?: RequestInit): Promise<Response>
}

/**
 * A connection that nobody uses again. The server closes one that nobody used for five seconds; a process that was busy for as long, as one that
 * writes a long history is, has not noticed, sends its next request there, and hears that "fetch failed".
 */
export const notKept = { connection: 'close' }

export const newGuest = async (url: string): Promise<Guest> => {
  // A cookie-bearing POST needs an Origin, as every browser sends one.
  const signedIn = await fetch(`${url}/api/auth/sign-in/anonymous`, {
    method: 'POST',
    headers: { ...notKept, origin: url, 'content-type': 'application/json' },
    body: '{}',
  })
  if (!signedIn.ok) throw new Error(`signing in as a guest answered ${signedIn.status}: ${await signedIn.text()}`)
  const { user } = (await signedIn.json()) as { user: { id: string } }
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const fetchAs = (path: string, init: RequestInit = {}) =>
    fetch(`${url}${path}`, { ...init, headers: { ...notKept, origin: url, cookie, ...Object.fromEntries(new Headers(init.headers)) } })
  return {
    url,
    userId: user.id,
    cookie,
    fetch: fetchAs,
    token: async () => {
      const answer = await fetchAs('/api/auth/token')
      if (!answer.ok) throw new Error(`asking for a token answered ${answer.status}`)
      return ((await answer.json()) as { token: string }).token
    },
  }
}
