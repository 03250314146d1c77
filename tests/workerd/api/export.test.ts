// Exports run one at a time and a few per hour for each user.
import { describe, expect, test } from 'vitest'
import { exportLeaseMs, exportsPerHour } from '../../../worker/contract/limits.ts'
import { type Browser, guest } from '../auth/browser.ts'
import { env } from '../bindings.ts'

const ask = (browser: Browser) => browser.call('/api/account/export')

async function endOf(response: Response): Promise<string> {
  if (response.status === 200) return `200 ${Object.keys((await response.json()) as object).length > 10}`
  const { error } = (await response.json()) as { error: { code: string } }
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  return `${response.status} ${error.code}`
}

const setLease = (userId: string, untilMs: number) =>
  env.DB.prepare('update billingLease set untilMs = ?, fence = fence + 1 where id = ?').bind(untilMs, `export:${userId}`).run()

describe('an export', () => {
  test('eight concurrent attempts admit one and refuse seven', async () => {
    const { browser } = await guest()
    const responses = await Promise.all(Array.from({ length: 8 }, () => ask(browser)))
    const answers = await Promise.all(responses.map(endOf))
    expect(answers.filter((answer) => answer === '200 true')).toHaveLength(1)
    expect(answers.filter((answer) => answer === '429 export_running')).toHaveLength(7)
  })

  test('does not block another user', async () => {
    const [one, two] = [await guest(), await guest()]
    const running = await ask(one.browser)
    expect(await endOf(await ask(two.browser))).toBe('200 true')
    await running.body?.cancel()
  })

  test('may be repeated after it has ended, up to an hourly limit', async () => {
    const { browser } = await guest()
    const answers = []
    for (let i = 0; i <= exportsPerHour; i++) answers.push(await endOf(await ask(browser)))
    expect(answers).toEqual([...Array(exportsPerHour).fill('200 true'), '429 exports_too_often'])
  })

  test('takes over an expired lease, which the earlier export does not release', async () => {
    const { browser, userId } = await guest()
    const vanished = await ask(browser)
    await setLease(userId, Date.now() - 1)
    expect(await endOf(await ask(browser))).toBe('200 true')
    await setLease(userId, Date.now() + exportLeaseMs)
    expect(await endOf(await ask(browser))).toBe('429 export_running')
    await vanished.body?.cancel()
    // The earlier holder does not release the lease of the later one.
    expect(await endOf(await ask(browser))).toBe('429 export_running')
  })

  test('answers HEAD without an export', async () => {
    const { browser } = await guest()
    for (let i = 0; i < exportsPerHour + 2; i++) {
      const response = await browser.call('/api/account/export', { method: 'HEAD' })
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    }
    expect(await endOf(await ask(browser))).toBe('200 true')
  })
})
