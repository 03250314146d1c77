// The token of the sync socket: the content of GET /api/auth/token, and the refusal of invalid tokens.
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { tokenAudience, tokenIssuer, verifySyncToken } from '../../../worker/auth/token.ts'
import { env } from '../bindings.ts'
import { Browser, guest } from './browser.ts'

const tokenOf = async (browser: Browser) => (await browser.json<{ token: string }>('/api/auth/token')).token

const encode = (value: unknown) => btoa(JSON.stringify(value)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

test('contains the user, the session and 15 minutes of lifetime, and nothing else about the user', async () => {
  const { browser, userId, sessionId } = await guest()
  const token = await tokenOf(browser)
  const nowMs = Date.now()
  const verified = await verifySyncToken(env, token, nowMs)
  expect(verified).toMatchObject({ userId, sessionId })
  if ('refused' in verified) throw new Error(verified.refused)
  expect(verified.expiresAtMs - nowMs).toBeGreaterThan(14 * 60_000)
  expect(verified.expiresAtMs - nowMs).toBeLessThanOrEqual(15 * 60_000)
  const claims = JSON.parse(atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'))) as object
  expect(Object.keys(claims).sort()).toEqual(['aud', 'exp', 'iat', 'iss', 'sid', 'sub'])
})

test('requires a session', async () => {
  expect((await new Browser().call('/api/auth/token')).status).toBe(401)
})

test('is refused when it has expired', async () => {
  const token = await tokenOf((await guest()).browser)
  expect(await verifySyncToken(env, token, Date.now() + 16 * 60_000)).toEqual({ refused: 'expired' })
})

test.each([
  ['', 'missing'],
  [undefined, 'missing'],
  ['no.token', 'malformed'],
  ['a.b.c', 'malformed'],
] as const)('%s is %s', async (token, refused) => {
  expect(await verifySyncToken(env, token)).toEqual({ refused })
})

test('is refused when a character or its algorithm was changed', async () => {
  const { browser, userId } = await guest()
  const [header = '', payload = '', signature = ''] = (await tokenOf(browser)).split('.')
  const { kid } = JSON.parse(atob(header)) as { kid: string }
  const other = encode({ sub: 'somebody-else', iss: tokenIssuer, aud: tokenAudience, exp: Date.now() })
  expect(await verifySyncToken(env, [header, other, signature].join('.'))).toEqual({ refused: 'invalid' })
  expect(await verifySyncToken(env, [encode({ alg: 'none', kid }), payload, ''].join('.'))).toEqual({ refused: 'invalid' })
  expect(await verifySyncToken(env, [encode({ alg: 'HS256', kid }), payload, signature].join('.'))).toEqual({ refused: 'invalid' })
  expect(userId).not.toBe('somebody-else')
})

test('a new key of the product works as soon as it is in D1, for the product’s issuer and audience only', async () => {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  const kid = 'a-key-made-by-this-test'
  const sign = (issuer: string, audience: string) =>
    new SignJWT({ sid: 'a session' })
      .setProtectedHeader({ alg: 'EdDSA', kid })
      .setSubject('ada')
      .setIssuer(issuer)
      .setAudience(audience)
      .setExpirationTime('5m')
      .sign(privateKey)
  const token = await sign(tokenIssuer, tokenAudience)
  expect(await verifySyncToken(env, token)).toEqual({ refused: 'unknown_key' })
  await env.DB.prepare("insert into jwks (id, publicKey, privateKey, createdAt, alg) values (?, ?, '', 1, 'EdDSA')")
    .bind(kid, JSON.stringify(await exportJWK(publicKey)))
    .run()
  expect(await verifySyncToken(env, token)).toMatchObject({ userId: 'ada', sessionId: 'a session' })
  expect(await verifySyncToken(env, await sign('somebody', tokenAudience))).toEqual({ refused: 'invalid' })
  expect(await verifySyncToken(env, await sign(tokenIssuer, 'something'))).toEqual({ refused: 'invalid' })
})

test('unknown keys cost a bounded number of queries, and a known key keeps working meanwhile', async () => {
  const token = await tokenOf((await guest()).browser)
  await verifySyncToken(env, token)
  let reads = 0
  const counting = {
    DB: new Proxy(env.DB, {
      get(target, name) {
        if (name === 'prepare') reads += 1
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    }),
  }
  const nowMs = Date.now() + 60_000
  for (let attempt = 0; attempt < 100; attempt++) {
    const forged = [encode({ alg: 'EdDSA', kid: `made-up-${attempt}` }), encode({ sub: 'x' }), 'AAAA'].join('.')
    expect(await verifySyncToken(counting, forged, nowMs)).toEqual({ refused: 'unknown_key' })
  }
  expect(reads).toBeGreaterThan(0)
  expect(reads).toBeLessThanOrEqual(20)
  expect(await verifySyncToken(counting, token, nowMs)).not.toHaveProperty('refused')
})
