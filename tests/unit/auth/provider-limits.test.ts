// better-auth's Google and GitHub providers with endless responses: the connection closes and the sign-in fails.
import { betterAuth } from 'better-auth'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { answeringServer } from '../../support/peers/answering-server.ts'
import { type Flood, flood } from '../../support/peers/flood.ts'

const server = answeringServer()
/** All requests of better-auth go to the peer. The bound wraps the `fetch` that existed when the module was loaded. */
const asked: string[] = []

type Bound = typeof import('../../../worker/auth/provider-limits.ts')
let providerLimits: Bound['providerLimits']
beforeAll(async () => {
  const { fetch } = globalThis
  vi.stubGlobal('fetch', (input: string | URL, init?: RequestInit) => {
    asked.push(String(input))
    return fetch(server.url, init)
  })
  vi.resetModules()
  ;({ providerLimits } = await import('../../../worker/auth/provider-limits.ts'))
})
// The modules of this file wrap the stub. The next file loads new ones, which wrap the restored `fetch`.
afterAll(() => void vi.resetModules())

async function providers() {
  const client = { clientId: 'id', clientSecret: 'secret' }
  const auth = betterAuth({
    baseURL: 'https://parley.test',
    secret: 'a secret of the test that is long enough to be one',
    logger: { disabled: true },
    telemetry: { enabled: false },
    socialProviders: { google: client, github: client },
    plugins: [providerLimits()],
  })
  const { socialProviders } = await auth.$context
  return (id: 'google' | 'github') => {
    const provider = socialProviders.find((one) => one.id === id)
    if (!provider) throw new Error(`better-auth has no ${id}`)
    return provider
  }
}

/** The response is never complete, so the type of its start suffices. */
function endless(of: Flood, status: number): Promise<void> {
  const left = Promise.withResolvers<void>()
  server.answer = (response) => void flood(response, of, '{"access_token":"', status).then(left.resolve)
  return left.promise
}

const floods = (['line', 'packed'] as const).flatMap((of) => [200, 500].map((status) => [of, status] as const))

describe.each(floods)('an endless response (%s, status %i) is not read to its end', (of, status) => {
  test.each(['google', 'github'] as const)('from the token endpoint of %s', async (id) => {
    const provider = (await providers())(id)
    const left = endless(of, status)
    const grant = { code: 'code', codeVerifier: 'x'.repeat(43), redirectURI: 'https://parley.test/api/auth/callback' }
    const tokens = await provider.validateAuthorizationCode(grant).catch(({ name }: Error) => name)
    expect(tokens).toBe('EndlessBodyError')
    await left
  })

  test('from GitHub’s user endpoint', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const provider = (await providers())('github')
    const left = endless(of, status)
    expect(await provider.getUserInfo({ accessToken: 'token' })).toBeNull()
    await left
  })
})

test('other requests are not bounded', async () => {
  const body = 'x'.repeat(1024 * 1024)
  server.answer = (response) => response.end(body)
  expect((await (await fetch('https://api.github.com/user')).text()).length).toBe(body.length)
  expect(asked).toContain('https://api.github.com/user')
})
