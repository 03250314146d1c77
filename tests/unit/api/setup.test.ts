// GET and POST /api/setup: access.
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import type { AppEnv } from '../../../worker/api/http.ts'
import { handleSetup } from '../../../worker/api/operator.ts'
import { type Feature, featureNotes, type SettingDefinition, settingDefinitions } from '../../../worker/setting-definitions.ts'
import { createNodeD1 } from '../../support/node-d1.ts'

const features = 'gateway,search,billing,files,mail,google,github,redis'
const complete = Object.fromEntries(
  Object.entries<SettingDefinition>(settingDefinitions)
    .filter(([, definition]) => definition.feature === 'core' && definition.isRequired)
    .map(([name, definition]) => [name, definition.form === 'url' ? 'https://parley.test' : 'x'.repeat(40)]),
)

function ask(variables: object, init: RequestInit = {}) {
  const app = new Hono<AppEnv>()
  app.on(['GET', 'POST'], '/api/setup', handleSetup)
  const bindings = { DB: createNodeD1(), USER_SYNC: {}, GENERATION: {}, DISABLED_FEATURES: features, ...variables }
  return app.request('https://parley.test/api/setup', init, bindings)
}

const secret = 'the-operator-secret-of-these-tests'
const production = { ENVIRONMENT: 'production', ...complete, CRON_SECRET: secret }
const form = (typed: string): RequestInit => ({ method: 'POST', body: new URLSearchParams({ secret: typed }) })

test('everyone may read what is missing, while no secret is set', async () => {
  const page = await ask({ ENVIRONMENT: 'production', PUBLIC_URL: 'https://parley.test' })
  const text = await page.text()
  expect(text).toMatch(/BETTER_AUTH_SECRET<\/code> is not set/)
  expect(text).toMatch(/<strong>Database<\/strong> <span class="good">works/)
})

test('a configured secret is required, also while another setting is missing', async () => {
  const incomplete = { ENVIRONMENT: 'production', PUBLIC_URL: 'https://parley.test', CRON_SECRET: secret }
  expect(await (await ask(incomplete)).text()).not.toMatch(/BETTER_AUTH_SECRET|Database/)
  expect(await (await ask(incomplete, form(secret))).text()).toMatch(/BETTER_AUTH_SECRET<\/code> is not set/)
})

test('limits wrong secrets and then refuses the right one; a body that is not a form has no secret', async () => {
  const DB = createNodeD1()
  const statuses: number[] = []
  for (let i = 0; i < 12; i++) statuses.push((await ask({ ...production, DB }, form(`guess ${i}`))).status)
  expect(statuses).toEqual([...Array(10).fill(403), 429, 429])
  expect((await ask({ ...production, DB }, form(secret))).status).toBe(429)
  for (const contentType of ['application/json', 'multipart/form-data', 'text/plain', 'multipart/form-data; boundary=x'])
    expect((await ask(production, { method: 'POST', body: '{"', headers: { 'content-type': contentType } })).status).toBe(200)
})

test('a configured server shows its settings to holders of the secret', async () => {
  for (const init of [form(secret), { headers: { authorization: `Bearer ${secret}` } }])
    expect(await (await ask(production, init)).text()).toContain('Everything that is set works')
  const withoutSecret = await ask(production)
  expect([withoutSecret.status, await withoutSecret.text()]).toEqual([200, expect.not.stringContaining('Database')])
  for (const init of [form(secret.slice(1)), form(''), { headers: { authorization: 'Bearer ' } }])
    expect([(await ask(production, init)).status, await (await ask(production, init)).text()]).toEqual([
      403,
      expect.not.stringContaining('Database'),
    ])
})

test('is closed when the feature cron is disabled, also while a setting is missing', async () => {
  const disabled = { DISABLED_FEATURES: `${features},cron` }
  expect((await ask({ ...production, ...disabled })).status).toBe(501)
  const incomplete = await ask({ ENVIRONMENT: 'production', PUBLIC_URL: 'https://parley.test', ...disabled })
  expect([incomplete.status, await incomplete.text()]).toEqual([501, expect.not.stringContaining('BETTER_AUTH_SECRET')])
})

test('lists what is switched off, what it brings, and the command that switches it on', async () => {
  const text = await (await ask(production, form(secret))).text()
  const [, off = ''] = text.split('<h2>Switched off</h2>')
  for (const feature of features.split(',') as Feature[]) {
    expect(off).toContain(featureNotes[feature].brings)
    expect(off).toContain(`npm run deploy -- enable ${featureNotes[feature].name}`)
  }
  expect(text).not.toContain('Payments: key and price')
})

test('in development it is open', async () => {
  expect(await (await ask({ ENVIRONMENT: 'development' })).text()).toContain('<h2>Checks</h2>')
})
