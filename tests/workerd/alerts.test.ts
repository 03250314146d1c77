// Alerts: a passed threshold mails the operator once a day, and a mail that could not be sent is tried again.
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { alertOperator, failingProviders } from '../../worker/alerts.ts'
import { newUserId } from '../../worker/db/shards.ts'
import { mustSettings, type Settings } from '../../worker/settings.ts'
import { generationRow, insert, threadRow } from '../support/rows.ts'
import { auditOnly } from './audit.ts'
import { content, env } from './bindings.ts'

// Rows inserted by this test belong to no complete turn.
auditOnly('usage')

const hourMs = 60 * 60 * 1000
const alerts = { to: 'operator@example.com', failedPercent: 50, stuckTurns: 3, feedRows: 1_000_000_000, databaseMb: 1_000_000 }
const mail = { via: 'resend', apiKey: 're_x', url: 'https://mail.example', from: 'Parley <no-reply@example.com>' } as const
const settings: Settings = { ...mustSettings(env), alerts, mail }

let status = 200
const sent: string[] = []
const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async (_url, init) => {
  sent.push((JSON.parse(String(init?.body)) as { subject: string }).subject)
  return new Response('{}', { status })
})
afterEach(() => {
  sent.length = 0
  status = 200
})

afterAll(() => fetched.mockRestore())

/** The tests use different times, because they share the database. */
let hours = 1000
const nextMs = () => hours++ * 48 * hourMs

async function turns(number: number, row: Parameters<typeof generationRow>[2]) {
  const userId = newUserId(env)
  for (let made = 0; made < number; made++) {
    const thread = threadRow(userId)
    await insert(content, 'thread', thread)
    await insert(content, 'generation', generationRow(userId, String(thread.id), row))
  }
}

test('a provider of which half of the answers failed is named, once a day', async () => {
  const nowMs = nextMs()
  await turns(6, { status: 'failed', createdAt: nowMs - 1000, modelId: 'made-up' })
  await turns(6, { status: 'completed', createdAt: nowMs - 1000, modelId: 'made-up' })
  expect(await alertOperator(env, settings, nowMs)).toBe(1)
  expect(sent).toEqual(['Parley: 6 of 12 answers of made-up failed in the last hour.'])
  expect(await alertOperator(env, settings, nowMs + 60_000 * 5)).toBe(0)
  await turns(10, { status: 'failed', createdAt: nowMs + 24 * hourMs, modelId: 'made-up' })
  expect(await alertOperator(env, settings, nowMs + 24 * hourMs + 1)).toBe(1)
})

test('a mail that could not be sent is tried again by a later run', async () => {
  const nowMs = nextMs()
  await turns(10, { status: 'failed', createdAt: nowMs - 1000, modelId: 'another' })
  status = 500
  await expect(alertOperator(env, settings, nowMs)).rejects.toThrow('the mail provider answered 500')
  status = 200
  expect(await alertOperator(env, settings, nowMs + 5 * 60_000)).toBe(1)
})

test('answers that are open for more than an hour, the feed and the size of a database have thresholds of their own', async () => {
  const nowMs = nextMs()
  await turns(3, { status: 'open', createdAt: nowMs - hourMs - 1000 })
  const low = { ...settings, alerts: { ...alerts, feedRows: 1, databaseMb: 0 } }
  await alertOperator(env, low, nowMs)
  expect(sent.map((subject) => subject.replaceAll(/\b[\d,]+/g, 'N'))).toEqual([
    'Parley: N answers have been open for more than an hour.',
    'Parley: The change feed of a database has N rows.',
    'Parley: A database has N MB. D1 holds N MB.',
  ])
})

test('without an address nothing is read or sent', async () => {
  expect(await alertOperator(env, { ...settings, alerts: null }, nextMs())).toBe(0)
  expect(sent).toEqual([])
})

test.each([
  [9, 9, 0],
  [10, 5, 1],
  [10, 4, 0],
])('of %i answers %i failed: %i alerts at half', (all, failed, count) => {
  const rows = [
    { modelId: 'a', status: 'failed', turns: failed },
    { modelId: 'b', status: 'completed', turns: all - failed },
  ]
  const catalogue = [
    { id: 'a', provider: 'gateway', slug: 'openai/one' },
    { id: 'b', provider: 'gateway', slug: 'openai/two' },
  ]
  expect(failingProviders(rows, catalogue, 50).map(({ name }) => name)).toEqual(count === 1 ? ['failed:gateway openai'] : [])
})
