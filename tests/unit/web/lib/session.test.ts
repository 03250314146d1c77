// The session of a browser against a small server: who becomes a guest, and how often.
import { describe, expect, test, vi } from 'vitest'
import { fetchIdentity, identify, LoggedOutError, retryDelayMs, SessionError } from '../../../../web/lib/session.ts'

const tokenFor = (sub: string): string => `x.${btoa(JSON.stringify({ sub, exp: 2_000_000_000 }))}.x`

type ServerOptions = { readonly session?: string; readonly keepsCookies?: boolean }

/** The auth API with one cookie jar: its calls in order, and the current session. */
function createServer({ session, keepsCookies = true }: ServerOptions = {}) {
  let userId = session ?? null
  let guests = 0
  const calls: string[] = []
  const answer = (path: string): Response => {
    switch (path) {
      case '/api/auth/get-session':
        return Response.json(userId && { session: { id: 's' }, user: { id: userId } })
      case '/api/auth/sign-in/anonymous':
        guests += 1
        if (keepsCookies) userId = `guest-${guests}`
        return Response.json({ token: 't', user: { id: `guest-${guests}` } })
      case '/api/auth/token':
        return userId ? Response.json({ token: tokenFor(userId) }) : Response.json({ code: 'UNAUTHORIZED' }, { status: 401 })
      default:
        return new Response('no such call', { status: 404 })
    }
  }
  const serverFetch: typeof fetch = async (input, init) => {
    const { pathname } = new URL(String(input))
    calls.push(`${init?.method} ${pathname}`)
    await Promise.resolve()
    return answer(pathname)
  }
  return { fetch: serverFetch, calls, guests: () => guests }
}

/** A lock of one browser: the tabs take turns. */
function createLock() {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine
  }
}

const deps = (
  server: ReturnType<typeof createServer>,
  isRecognised = false,
  exclusively = createLock(),
  mayStartGuest = true,
  onNewGuest = () => {},
) => ({
  fetch: server.fetch,
  apiUrl: 'https://parley.example',
  isRecognised,
  mayStartGuest: () => mayStartGuest,
  onNewGuest,
  exclusively,
  solveCaptcha: async () => null as string | null,
})

describe('identify', () => {
  test('a visitor without a session becomes a guest', async () => {
    const server = createServer()
    expect(await identify(deps(server))).toEqual({ userId: 'guest-1', token: tokenFor('guest-1') })
    expect(server.calls).toEqual(['GET /api/auth/get-session', 'POST /api/auth/sign-in/anonymous', 'GET /api/auth/token'])
  })

  test('a visitor with a session keeps it', async () => {
    const server = createServer({ session: 'ada' })
    expect((await identify(deps(server))).userId).toBe('ada')
    expect(server.guests()).toBe(0)
  })

  test('a page with a recognised session needs one round trip', async () => {
    const server = createServer({ session: 'ada' })
    expect((await identify(deps(server, true))).userId).toBe('ada')
    expect(server.calls).toEqual(['GET /api/auth/token'])
  })

  test('a session that ended after the page was written is replaced, and the new guest is reported', async () => {
    const server = createServer()
    const onNewGuest = vi.fn()
    const visit = () => identify(deps(server, true, createLock(), true, onNewGuest))
    expect((await visit()).userId).toBe('guest-1')
    expect((await visit()).userId).toBe('guest-1')
    expect(onNewGuest).toHaveBeenCalledOnce()
  })

  test('two tabs opened together share one guest', async () => {
    const server = createServer()
    const lock = createLock()
    const both = await Promise.all([identify(deps(server, false, lock)), identify(deps(server, false, lock))])
    expect(both.map(({ userId }) => userId)).toEqual(['guest-1', 'guest-1'])
    expect(server.guests()).toBe(1)
  })

  describe('a server that requires a Turnstile challenge for guests', () => {
    const refusing = (code: string, status: number): Response =>
      Response.json({ error: { code, message: `the sentence of ${code}` }, code, message: `the sentence of ${code}` }, { status })

    /** Responds to each attempt to start a guest with the next of `answers`, and then starts one. */
    function createGuardedServer(...answers: [code: string, status: number][]) {
      const server = createServer()
      const tokens: (string | null)[] = []
      const guarded: typeof fetch = async (input, init) => {
        if (!String(input).endsWith('/sign-in/anonymous')) return server.fetch(input, init)
        tokens.push(new Headers(init?.headers).get('x-captcha-response'))
        const next = answers.shift()
        return next ? refusing(...next) : server.fetch(input, init)
      }
      let solved = 0
      const solveCaptcha = vi.fn(async (): Promise<string | null> => `solved-${++solved}`)
      return { tokens, solveCaptcha, deps: { ...deps(server), fetch: guarded, solveCaptcha } }
    }

    test('gets the token, and another one if it refuses the first', async () => {
      const server = createGuardedServer(['captcha_required', 403], ['captcha_failed', 403])
      expect((await identify(server.deps)).userId).toBe('guest-1')
      expect(server.tokens).toEqual([null, 'solved-1', 'solved-2'])
    })

    test('is not retried endlessly', async () => {
      const server = createGuardedServer(...Array.from({ length: 9 }, (): [string, number] => ['captcha_failed', 403]))
      await expect(identify(server.deps)).rejects.toMatchObject({ name: 'SessionError', message: 'The check failed. Try again.' })
      expect(server.solveCaptcha).toHaveBeenCalledTimes(3)
    })

    test('makes identify fail with a message and requests no challenge if Turnstile is unavailable', async () => {
      const server = createGuardedServer(['captcha_unavailable', 503])
      await expect(identify(server.deps)).rejects.toMatchObject({
        name: 'SessionError',
        message: 'The check could not be completed. Try again in a moment.',
      })
      expect(server.solveCaptcha).not.toHaveBeenCalled()
    })

    test('lets a tab that waits for its challenge find the guest of another tab', async () => {
      const server = createGuardedServer(['captcha_required', 403], ['captcha_required', 403])
      const lock = createLock()
      const both = await Promise.all([identify({ ...server.deps, exclusively: lock }), identify({ ...server.deps, exclusively: lock })])
      expect(both.map(({ userId }) => userId)).toEqual(['guest-1', 'guest-1'])
    })
  })

  test('a browser without cookies gets an explanation', async () => {
    await expect(identify(deps(createServer({ keepsCookies: false })))).rejects.toThrow(/cookies/)
  })

  test('an unreachable server is a sentence with the cause', async () => {
    const cause = new TypeError('fetch failed')
    const broken = { ...deps(createServer()), fetch: () => Promise.reject(cause) }
    await expect(identify(broken)).rejects.toMatchObject({ name: 'SessionError', cause })
  })
})

test('a server error is not taken for a missing session', async () => {
  const failing: typeof fetch = async () => new Response('the database is away', { status: 503 })
  const call = fetchIdentity({ fetch: failing, apiUrl: 'https://parley.example' })
  await expect(call).rejects.toBeInstanceOf(SessionError)
  await expect(call).rejects.toMatchObject({ cause: 'the database is away' })
})

test.each([[{}], [{ token: 7 }], [{ token: 'x.y.z' }], [{ token: `x.${btoa('{"sub":"a"}')}.x` }]])(
  'a malformed token response %j is refused',
  async (body) => {
    const server: typeof fetch = async () => Response.json(body)
    await expect(fetchIdentity({ fetch: server, apiUrl: 'https://parley.example' })).rejects.toBeInstanceOf(SessionError)
  },
)

test('after logout no guest starts without a request, and an existing session is kept', async () => {
  const server = createServer()
  await expect(identify(deps(server, false, createLock(), false))).rejects.toBeInstanceOf(LoggedOutError)
  expect(server.guests()).toBe(0)
  const signedIn = createServer({ session: 'ada' })
  expect(await identify(deps(signedIn, false, createLock(), false))).toMatchObject({ userId: 'ada' })
})

test('the identity request is retried after 1, 2, 3 … seconds, at most 30', () => {
  expect([0, 1, 2, 3, 29, 30, 31, 1000].map(retryDelayMs)).toEqual([0, 1000, 2000, 3000, 29_000, 30_000, 30_000, 30_000])
})
