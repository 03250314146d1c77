// Limits of the door: per network as better-auth asks, and per mail address whatever network asks.
import { expect, test } from 'vitest'
import type { Counter } from '../../../worker/auth/counters.ts'
import { authRateLimits, limitAddress } from '../../../worker/auth/rate-limits.ts'

function counting(): { readonly count: Counter; readonly keys: Map<string, number> } {
  const keys = new Map<string, number>()
  const count: Counter = async (key) => {
    keys.set(key, (keys.get(key) ?? 0) + 1)
    return { count: keys.get(key) ?? 0, leftS: 30 }
  }
  return { count, keys }
}

test('a network may make so many guests a minute, and is told how long to wait', async () => {
  const { customRules, customStorage } = authRateLimits('production', counting().count)
  const rule = customRules['/sign-in/anonymous']
  for (let i = 0; i < rule.max; i++)
    expect(await customStorage.consume('127.0.0.1|/sign-in/anonymous', rule)).toMatchObject({ allowed: true })
  expect(await customStorage.consume('127.0.0.1|/sign-in/anonymous', rule)).toEqual({ allowed: false, retryAfter: 30 })
  expect(await customStorage.consume('127.0.0.2|/sign-in/anonymous', rule)).toMatchObject({ allowed: true })
})

test('an address is written to so often, however it is spelled and whichever way mail is asked for', async () => {
  const { count, keys } = counting()
  const ask = (path: string, email: string) => limitAddress('production', count, path, email)
  for (const email of ['ada@example.test', ' Ada@Example.test ', 'ADA@EXAMPLE.TEST']) {
    await ask('/sign-in/magic-link', email)
    await ask('/email-otp/send-verification-otp', email)
  }
  await expect(ask('/sign-in/magic-link', 'ada@example.test')).rejects.toMatchObject({ status: 'TOO_MANY_REQUESTS' })
  await ask('/sign-in/magic-link', 'ben@example.test')
  await ask('/sign-in/email-otp', 'ada@example.test')
  await ask('/get-session', 'ada@example.test')
  expect(keys.size).toBe(3)
  for (const key of keys.keys()) expect(key).not.toMatch(/ada|ben/)
})

test('an address is invited so often in an hour, by whomever, and may still sign in', async () => {
  const { count } = counting()
  const invite = (email: string) => limitAddress('production', count, '/organization/invite-member', email)
  for (let i = 0; i < 5; i++) await invite('cleo@example.test')
  await expect(invite(' CLEO@example.test')).rejects.toMatchObject({ status: 'TOO_MANY_REQUESTS' })
  await invite('dan@example.test')
  await limitAddress('production', count, '/sign-in/magic-link', 'cleo@example.test')
})
