// POST /api/page-errors: one line in the log for each report, within the limits, and none for anything else.
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { createApp } from '../../../worker/app.ts'
import { pageErrorsPerHour } from '../../../worker/auth/auth-limits.ts'
import { origin } from '../auth/browser.ts'
import { executionContext, production } from '../authorization/production.ts'

const app = createApp(async () => ({}))
const bindings = { ...production, DISABLED_FEATURES: 'redis', REDIS_URL: '' }
const logged: string[] = []
const silenced = (['info', 'warn'] as const).map((level) =>
  vi.spyOn(console, level).mockImplementation((line: unknown) => void (level === 'warn' && logged.push(String(line)))),
)
afterEach(() => void logged.splice(0))
afterAll(() => silenced.forEach((spy) => void spy.mockRestore()))

const report = { code: 'TypeError', message: 'x is not a function', places: ['f@assets/a.js:1:2', 'assets/b.js:3:4'], build: 'main-1.js' }
const lines = () => logged.map((line) => JSON.parse(line) as Record<string, unknown>)

async function send(body: unknown, address: string): Promise<number> {
  const headers = { origin, 'cf-connecting-ip': address }
  const init = { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) }
  const response: Response = await app.request(`${origin}/api/page-errors`, init, bindings, executionContext)
  return response.status
}

test('a report becomes one line of the log, without a session', async () => {
  expect(await send(report, '203.0.113.1')).toBe(204)
  expect(lines()).toEqual([
    expect.objectContaining({ event: 'page_error', code: 'TypeError', places: 'f@assets/a.js:1:2 < assets/b.js:3:4', build: 'main-1.js' }),
  ])
})

describe('no line of the log', () => {
  test.each([
    ['no JSON', '{'],
    ['an empty body', ''],
    ['a message of a user', { ...report, message: 'Dear diary' }],
    ['a list', [report]],
  ])('for %s, which is refused', async (_what, body) => {
    expect(await send(body, '203.0.113.2')).toBe(400)
    expect(lines()).toEqual([])
  })

  test('for a network over its limit; others are still heard', async () => {
    for (let sent = 0; sent <= pageErrorsPerHour.network; sent++) expect(await send(report, '203.0.113.3')).toBe(204)
    expect(lines()).toHaveLength(pageErrorsPerHour.network)
    await send(report, '198.51.100.4')
    expect(lines()).toHaveLength(pageErrorsPerHour.network + 1)
  })
})
