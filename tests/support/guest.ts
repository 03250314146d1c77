/** A guest of a running product, over HTTP like a browser: signs in, then requests the token of the sync socket. */
export type Guest = {
  readonly url: string
  readonly userId: string
  readonly cookie: string
  /** A new token; each is valid for fifteen minutes. */
  token(): Promise<string>
  fetch(path: string, init?: RequestInit): Promise<Response>
}

/**
 * Disables keep-alive. The server closes a connection after five idle seconds; a process that was busy for so long, for example writing a
 * history, has not noticed, and its next request fails with "fetch failed".
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
