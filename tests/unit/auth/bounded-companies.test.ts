// better-auth's own Google and GitHub against a peer that never comes to an end: it is left, and nobody is signed in.
import { betterAuth } from 'better-auth'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { answeringServer } from '../../support/peers/answering-server.ts'
import { type Flood, flood } from '../../support/peers/flood.ts'

const server = answeringServer()
/** Wherever better-auth goes, it comes to the peer. What is bounded is what was there when the module was loaded. */
const asked: string[] = []

type Bound = typeof import('../../../worker/auth/bounded-companies.ts')
let boundedCompanies: Bound['boundedCompanies']
beforeAll(async () => {
  const { fetch } = globalThis
  vi.stubGlobal('fetch', (input: string | URL, init?: RequestInit) => {
    asked.push(String(input))
    return fetch(server.url, init)
  })
  vi.resetModules()
  ;({ boundedCompanies } = await import('../../../worker/auth/bounded-companies.ts'))
})

async function providers() {
  const client = { clientId: 'id', clientSecret: 'secret' }
  const auth = betterAuth({
    baseURL: 'https://parley.test',
    secret: 'a secret of the test that is long enough to be one',
    logger: { disabled: true },
    telemetry: { enabled: false },
    socialProviders: { google: client, github: client },
    plugins: [boundedCompanies()],
  })
  const { socialProviders } = await auth.$context
  return (id: 'google' | 'github') => {
    const provider = socialProviders.find((one) => one.id === id)
    if (!provider) throw new Error(`better-auth knows no ${id}`)
    return provider
  }
}

/** What comes is never whole, so what it begins like says as much as all of it. */
function endless(of: Flood, status: number): Promise<void> {
  const left = Promise.withResolvers<void>()
  server.answer = (response) => void flood(response, of, '{"access_token":"', status).then(left.resolve)
  return left.promise
}

const floods = (['line', 'packed'] as const).flatMap((of) => [200, 500].map((status) => [of, status] as const))

describe.each(floods)('what has no end (%s, status %i) is not read to its end', (of, status) => {
  test.each(['google', 'github'] as const)('by %s, who asks for a token', async (company) => {
    const provider = (await providers())(company)
    const left = endless(of, status)
    const grant = { code: 'code', codeVerifier: 'x'.repeat(43), redirectURI: 'https://parley.test/api/auth/callback' }
    const tokens = await provider.validateAuthorizationCode(grant).catch(({ name }: Error) => name)
    expect(tokens).toBe('EndlessBodyError')
    await left
  })

  test('by github, who asks who that is', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const provider = (await providers())('github')
    const left = endless(of, status)
    expect(await provider.getUserInfo({ accessToken: 'token' })).toBeNull()
    await left
  })
})

test('whoever else asks by the same way is not bounded', async () => {
  const body = 'x'.repeat(1024 * 1024)
  server.answer = (response) => response.end(body)
  expect((await (await fetch('https://api.github.com/user')).text()).length).toBe(body.length)
  expect(asked).toContain('https://api.github.com/user')
})
