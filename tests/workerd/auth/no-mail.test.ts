// A production without mail: no response claims that a mail was sent.
import { expect, test } from 'vitest'
import { authFor } from '../../../worker/auth/session.ts'
import type { Env } from '../../../worker/bindings.ts'
import { mustSettings } from '../../../worker/settings.ts'
import { env } from '../bindings.ts'
import { Browser, origin } from './browser.ts'

const withoutMail: Env = {
  ...env,
  ENVIRONMENT: 'production',
  PUBLIC_URL: origin,
  BETTER_AUTH_SECRET: 'long enough to be a secret of a deployment',
  CRON_SECRET: 'long enough to be the secret of its work',
  DISABLED_FEATURES: 'mail,gateway,search,billing,google,github,redis',
}
const settings = mustSettings(withoutMail)
const server = {
  fetch: async (url: string, init: RequestInit) => (await authFor(withoutMail, settings, url)).handler(new Request(url, init)),
}

test.each([
  ['email-otp/send-verification-otp', { email: 'a@nomail.test', type: 'sign-in' }],
  ['sign-in/magic-link', { email: 'a@nomail.test' }],
])('%s is refused without configured mail', async (path, body) => {
  const answer = await new Browser(server).call(`/api/auth/${path}`, { body })
  expect([answer.status, await answer.json()]).toEqual([501, { code: 'not_configured' }])
})
