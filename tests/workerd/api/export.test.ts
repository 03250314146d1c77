// Exports are admitted one at a time and a few per hour for each user.
import { describe, expect, test } from 'vitest'
import { exportLeaseMs, exportsPerHour } from '../../../worker/contract/limits.ts'
import { guest, type Person } from '../auth/person.ts'
import { env } from '../bindings.ts'

const ask = (person: Person) => person.call('/api/account/export')

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
    const { person } = await guest()
    const responses = await Promise.all(Array.from({ length: 8 }, () => ask(person)))
    const answers = await Promise.all(responses.map(endOf))
    expect(answers.filter((answer) => answer === '200 true')).toHaveLength(1)
    expect(answers.filter((answer) => answer === '429 export_running')).toHaveLength(7)
  })

  test('does not block another user', async () => {
    const [one, two] = [await guest(), await guest()]
    const running = await ask(one.person)
    expect(await endOf(await ask(two.person))).toBe('200 true')
    await running.body?.cancel()
  })

  test('may be repeated after it has ended, up to an hourly limit', async () => {
    const { person } = await guest()
    const answers = []
    for (let i = 0; i <= exportsPerHour; i++) answers.push(await endOf(await ask(person)))
    expect(answers).toEqual([...Array(exportsPerHour).fill('200 true'), '429 exports_too_often'])
  })

  test('takes over an expired lease, which the earlier export does not release', async () => {
    const { person, userId } = await guest()
    const vanished = await ask(person)
    await setLease(userId, Date.now() - 1)
    expect(await endOf(await ask(person))).toBe('200 true')
    await setLease(userId, Date.now() + exportLeaseMs)
    expect(await endOf(await ask(person))).toBe('429 export_running')
    await vanished.body?.cancel()
    // The earlier holder does not release the lease of the later one.
    expect(await endOf(await ask(person))).toBe('429 export_running')
  })

  test('answers HEAD without an export', async () => {
    const { person } = await guest()
    for (let i = 0; i < exportsPerHour + 2; i++) {
      const response = await person.call('/api/account/export', { method: 'HEAD' })
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    }
    expect(await endOf(await ask(person))).toBe('200 true')
  })
})
