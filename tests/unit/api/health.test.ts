// GET /api/health: lists real, simulated and disabled parts by name, without values.
import { expect, test } from 'vitest'
import { healthOf } from '../../../worker/api/health.ts'
import type { Env } from '../../../worker/bindings.ts'
import { withStandIns } from '../../../worker/dev/stand-ins.ts'
import { readSettings } from '../../../worker/settings.ts'

const health = (variables: { [name: string]: string }) =>
  healthOf(readSettings(withStandIns({ DB: {}, FILES: {}, USER_SYNC: {}, GENERATION: {}, ...variables } as unknown as Env)))
const statesOf = (variables: { [name: string]: string }) =>
  Object.fromEntries(Object.entries(health(variables).parts).map(([part, { state }]) => [part, state]))

const bare = {
  database: 'real',
  models: 'stand-in',
  openrouter: 'off',
  ollama: 'off',
  compatible: 'off',
  'workers-ai': 'off',
  search: 'stand-in',
  files: 'real',
  payments: 'stand-in',
  mail: 'stand-in',
  google: 'off',
  github: 'off',
  redis: 'real',
  turnstile: 'off',
}

test('a development server without settings lists its stand-ins', () => {
  expect(health({ ENVIRONMENT: 'development' })).toMatchObject({ status: 'ok', environment: 'development' })
  expect(statesOf({ ENVIRONMENT: 'development' })).toEqual(bare)
})

test('a bundle without stand-ins reports what is not set as off', () => {
  const { parts } = healthOf(
    readSettings({ DB: {}, FILES: {}, USER_SYNC: {}, GENERATION: {}, ENVIRONMENT: 'development' } as unknown as Env),
  )
  expect([parts.models, parts.search, parts.payments]).toEqual(
    ['AI_GATEWAY_API_KEY', 'SEARCH_API_KEY', 'STRIPE_SECRET_KEY'].map((name) => ({ state: 'off', detail: `${name} is not set` })),
  )
})

test.each([
  ['models', { AI_GATEWAY_API_KEY: 'k' }],
  ['openrouter', { OPENROUTER_API_KEY: 'k' }],
  ['ollama', { OLLAMA_URL: 'http://127.0.0.1:11434/v1' }],
  ['compatible', { OPENAI_COMPATIBLE_URL: 'http://127.0.0.1:1/v1' }],
  ['search', { SEARCH_API_KEY: 'k' }],
  ['payments', { STRIPE_SECRET_KEY: 'k', STRIPE_WEBHOOK_SECRET: 'k', PRO_MONTHLY_PRICE_ID: 'p' }],
  ['mail', { RESEND_API_KEY: 'k' }],
  ['google', { GOOGLE_CLIENT_ID: 'i', GOOGLE_CLIENT_SECRET: 'k' }],
  ['github', { GITHUB_CLIENT_ID: 'i', GITHUB_CLIENT_SECRET: 'k' }],
  ['turnstile', { TURNSTILE_SITE_KEY: 's', TURNSTILE_SECRET_KEY: 'k' }],
])('%s is real once it is configured', (part, variables) => {
  expect(statesOf({ ENVIRONMENT: 'development', ...(variables as { [name: string]: string }) })).toEqual({ ...bare, [part]: 'real' })
})

test('D1 counts rate limits until Redis is set', () => {
  const redisOf = (variables: { [name: string]: string }) => health({ ENVIRONMENT: 'development', ...variables }).parts.redis
  expect(redisOf({})).toEqual({ state: 'real', detail: 'D1 counts attempts' })
  expect(redisOf({ REDIS_URL: 'https://redis.test', REDIS_TOKEN: 'k' })).toEqual({ state: 'real', detail: 'Upstash Redis' })
})

test('half of a pair of settings does not count', () => {
  expect(statesOf({ ENVIRONMENT: 'development', GOOGLE_CLIENT_ID: 'i', STRIPE_SECRET_KEY: 'k' })).toEqual(bare)
})

test('disabled features are listed', () => {
  const { parts } = health({ ENVIRONMENT: 'development', DISABLED_FEATURES: 'mail,gateway', RESEND_API_KEY: 'k' })
  expect(parts.mail).toEqual({ state: 'off', detail: 'switched off by DISABLED_FEATURES' })
  expect(parts.models?.state).toBe('off')
})

test('a misconfigured production names what is missing, without any value', () => {
  const body = health({ ENVIRONMENT: 'production', AI_GATEWAY_API_KEY: 'sk-very-secret', REDIS_URL: 'not-an-address' })
  expect(body).toMatchObject({ status: 'misconfigured', environment: 'production' })
  expect(body.parts.REDIS_URL).toEqual({ state: 'off', detail: 'is not a valid http(s) URL without password, ? and #' })
  expect(body.parts.SEARCH_API_KEY).toEqual({ state: 'off', detail: 'is not set' })
  expect(body.parts).not.toHaveProperty('AI_GATEWAY_API_KEY')
  expect(JSON.stringify(body)).not.toMatch(/very-secret|not-an-address/)
})
