// A database that cannot be read for a moment: no user is logged out, and no guard is bypassed.
import { expect, test } from 'vitest'
import { authFor } from '../../../worker/auth/session.ts'
import type { Env } from '../../../worker/bindings.ts'
import { mustSettings } from '../../../worker/settings.ts'
import { env } from '../bindings.ts'
import { Browser, type SessionBody, signInByCode } from './browser.ts'

/** The number of session reads that fail. */
const faults = { left: 0 }
const database = new Proxy(env.DB, {
  get(target, name) {
    if (name !== 'prepare') {
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    }
    return (text: string) => {
      if (!/^select .* from "session"/.test(text) || faults.left === 0) return target.prepare(text)
      faults.left -= 1
      return target.prepare('select * from nowhere')
    }
  },
})
const faulty: Env = { ...env, DB: database }
const server = {
  fetch: async (url: string, init: RequestInit) => (await authFor(faulty, mustSettings(faulty), url)).handler(new Request(url, init)),
}

async function newAccount(email: string): Promise<Browser> {
  const signedIn = new Browser()
  await signInByCode(signedIn, email)
  const browser = new Browser(server)
  for (const line of signedIn.cookie.split('; ')) browser.wear(line)
  return browser
}

test.each([
  ['/api/auth/token', undefined],
  ['/api/auth/list-sessions', undefined],
  ['/api/auth/update-user', { name: 'Ada' }],
  ['/api/auth/delete-user', {}],
])('%s with an unreadable session gets a retryable refusal', async (path, body) => {
  const browser = await newAccount(`${path.replaceAll('/', '-')}@unread.test`)
  faults.left = 1
  const answer = await browser.call(path, body === undefined ? {} : { body })
  expect(faults.left).toBe(0)
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await answer.json()).toMatchObject({ code: 'SESSION_UNREAD' })
  expect(await browser.json<{ token: string }>('/api/auth/token')).toEqual({ token: expect.any(String) })
  expect(await browser.json<SessionBody>('/api/auth/get-session')).toMatchObject({ user: { isAnonymous: false } })
})
