// A production configuration whose Redis stops responding and recovers: users can sign in, sessions stay valid, limits hold.
import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signInMailsPer10Min } from '../../worker/auth/auth-limits.ts'
import { listen } from '../support/peers/peer-server.ts'
import { startUpstash, type UpstashPeer } from '../support/peers/upstash.ts'
import { freePort } from '../support/ports.ts'
import { type Product, startProduct } from '../support/product.ts'
import { rawRequest } from './raw-http.ts'

let redis: UpstashPeer
let mails: Server
let product: Product
/** The newest code by address. */
const codes = new Map<string, string>()

beforeAll(async () => {
  redis = await startUpstash()
  mails = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const { to, text } = JSON.parse(body) as { to: string[]; text: string }
      codes.set(to[0] ?? '', /\b\d{6}\b/.exec(text)?.[0] ?? '')
      response.end('{}')
    })
  })
  const port = await freePort()
  product = await startProduct({
    port,
    env: {
      ENVIRONMENT: 'production',
      PUBLIC_URL: `http://localhost:${port}`,
      BETTER_AUTH_SECRET: 'a secret of this test that is long enough',
      RESEND_API_KEY: 're_of_the_peer',
      MAIL_API_URL: `http://127.0.0.1:${await listen(mails)}`,
      REDIS_URL: redis.url,
      REDIS_TOKEN: redis.token,
      DISABLED_FEATURES: 'gateway,search,billing,files,google,github,cron',
    },
  })
})
afterAll(async () => {
  await product?.stop()
  mails?.close()
  await redis?.stop()
})

let networks = 0
/** An unused network. */
const newNetwork = () => `10.1.${Math.floor(networks / 250)}.${(networks++ % 250) + 1}`

async function post(path: string, body: object, { network = newNetwork(), cookie = '' } = {}) {
  const headers = { origin: product.url, 'content-type': 'application/json', 'cf-connecting-ip': network, cookie }
  // A separate connection: a refusal is sent before the body is read, and ends its connection.
  const answer = await rawRequest(product.port, `/api/auth/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const parsed = JSON.parse(answer.body) as { readonly code?: string }
  // Redis failures never cause a server error, and every refusal has a reason.
  expect(answer.status, path).toBeLessThan(500)
  if (answer.status >= 400) expect(parsed, path).toMatchObject({ code: expect.any(String) })
  const given = (answer.headers['set-cookie'] ?? []).map((line) => line.split(';')[0] ?? '')
  return { status: answer.status, code: parsed.code, cookie: given.join('; '), retryAfter: answer.headers['retry-after'] }
}

const becomeGuest = (network?: string) => post('sign-in/anonymous', {}, network === undefined ? {} : { network })

async function signIn(email: string) {
  codes.delete(email)
  expect((await post('email-otp/send-verification-otp', { email, type: 'sign-in' })).status).toBe(200)
  // The mail is sent after the response.
  await expect.poll(() => codes.has(email)).toBe(true)
  const answer = await post('sign-in/email-otp', { email, otp: codes.get(email) })
  expect(answer.status).toBe(200)
  return answer.cookie
}

async function isSignedIn(cookie: string): Promise<boolean> {
  const answer = await rawRequest(product.port, '/api/auth/get-session', { headers: { cookie } })
  expect(answer.status).toBe(200)
  return JSON.parse(answer.body) !== null
}

/** The number of guests that one network may create before a refusal. */
async function guestsFrom(network: string): Promise<number> {
  for (let count = 0; ; count += 1) {
    const { status, code, retryAfter } = await becomeGuest(network)
    if (status === 200) continue
    expect([status, code]).toEqual([429, 'rate_limited'])
    expect(Number(retryAfter)).toBeGreaterThan(0)
    return count
  }
}

const failures = () => product.output.filter((line) => line.includes('"redis_failed"')).length
const isCounted = async (network: string) => (await redis.keys()).some((key) => key.includes(`${network}|`))

const guestsPerMinute = 30
const office = newNetwork()

test('while it is available it counts', async () => {
  expect(await guestsFrom(office)).toBe(guestsPerMinute)
  expect(await isCounted(office)).toBe(true)
  expect(failures()).toBe(0)
})

describe('while it is unavailable', () => {
  test('sessions stay valid, sign-in works, sign-out ends sessions, and limits hold', async () => {
    const email = 'away@redis.test'
    const before = await signIn(email)
    redis.misbehave('mute')
    const failuresBefore = failures()
    expect(await isSignedIn(before)).toBe(true)
    const during = await signIn(email)
    // The log arrives through a pipe, possibly after the response.
    await expect.poll(failures).toBeGreaterThan(failuresBefore)
    expect((await post('revoke-other-sessions', {}, { cookie: during })).status).toBe(200)
    expect([await isSignedIn(before), await isSignedIn(during)]).toEqual([false, true])
    // D1 starts counting from zero with the same limits.
    expect(await guestsFrom(newNetwork())).toBe(guestsPerMinute)
    // One mail of this address was counted at the sign-in above. Each request comes from a new network.
    for (let mail = 1; mail < signInMailsPer10Min.address; mail += 1) await post('sign-in/magic-link', { email, callbackURL: '/' })
    expect((await post('sign-in/magic-link', { email, callbackURL: '/' })).status).toBe(429)

    redis.misbehave(null)
    expect([await isSignedIn(before), await isSignedIn(during)]).toEqual([false, true])
    // Redis is tried again after a while, with the next request.
    await expect
      .poll(
        async () => {
          const network = newNetwork()
          expect((await becomeGuest(network)).status).toBe(200)
          return isCounted(network)
        },
        { interval: 500 },
      )
      .toBe(true)
  })
})

test('the log has one line of JSON for each failure, without user data', () => {
  // Earlier lines are output of the start script.
  const lines = product.output.slice(product.output.findIndex((line) => line.includes('Parley is ready')) + 1).filter((line) => line !== '')
  const errors = lines.filter((line) => !line.includes('"level":"info"'))
  expect(errors.length).toBeGreaterThan(0)
  for (const line of errors)
    expect(JSON.parse(line)).toMatchObject({ level: 'error', event: 'redis_failed', requestId: expect.any(String) })
  expect(product.output.join('\n')).not.toMatch(/@redis\.test|token-of-the-peer|re_of_the_peer/)
})
