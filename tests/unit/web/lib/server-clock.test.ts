// A device with a wrong clock offers Undo for the same time as any other.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { undoToastMs } from '../../../../worker/contract/limits.ts'

const serverMs = 1_800_000_000_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: serverMs })
  vi.resetModules()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const tokenAt = (issuedAtMs: number): string => {
  const second = Math.floor(issuedAtMs / 1000)
  return `x.${btoa(JSON.stringify({ sub: 'ada', iat: second, exp: second + 900 }))}.x`
}

/**
 * Starts a page on a device that is this far ahead, with a server whose tokens have the right time. `served`: the token comes with a page
 * that started to arrive 3 s ago, with its age.
 */
async function open(aheadMs: number, served: { readonly type: string; readonly ageMs: number } | null = null) {
  vi.setSystemTime(serverMs + aheadMs)
  const page =
    served && JSON.stringify({ syncToken: tokenAt(serverMs - served.ageMs), firstPage: { threads: [], session: { userId: 'ada' } } })
  vi.stubGlobal('document', { getElementById: (id: string) => (id === 'first-page' && page ? { textContent: page } : null) })
  vi.stubGlobal('performance', {
    timeOrigin: Date.now() - 4000,
    getEntriesByType: () => (served ? [{ type: served.type, responseStart: 1000.7 }] : []),
  })
  vi.stubGlobal('window', globalThis)
  vi.stubGlobal('sessionStorage', { getItem: () => null, setItem: () => undefined, removeItem: () => undefined })
  vi.stubGlobal('location', { origin: 'https://parley.example' })
  vi.stubGlobal('fetch', async () => Response.json({ token: tokenAt(Date.now() - aheadMs), session: {} }))
  const { currentIdentity, renewIdentity } = await import('../../../../web/lib/browser-session.ts')
  const { serverNowMs } = await import('../../../../web/lib/server-clock.ts')
  const { undoLeftMs } = await import('../../../../web/sync/deletion-checks.ts')
  return { currentIdentity, renewIdentity, serverNowMs, undoLeftMs }
}

const minute = 60_000

test.each([0, 1, -1, 10, -10, 24 * 60, -24 * 60])('%i minutes ahead, it knows the server’s time to within a second', async (minutes) => {
  const { currentIdentity, serverNowMs, undoLeftMs } = await open(minutes * minute)
  await currentIdentity()
  expect(Math.abs(serverNowMs() - serverMs)).toBeLessThanOrEqual(1000)
  expect(undoLeftMs(serverMs)).toBeGreaterThanOrEqual(undoToastMs - 1000)
  expect(undoLeftMs(serverMs)).toBeLessThanOrEqual(undoToastMs)
  expect(Math.abs(undoLeftMs(serverMs - 20_000) - 10_000)).toBeLessThanOrEqual(1000)
  expect(undoLeftMs(serverMs - undoToastMs - 1000)).toBeLessThanOrEqual(0)
  expect(undoLeftMs(serverMs + minute)).toBe(undoToastMs)
})

test.each([0, 8, -8, 3 * 60, -3 * 60, 24 * 60, -24 * 60])('%i minutes ahead, a page served with a token requests none', async (minutes) => {
  const { currentIdentity, serverNowMs } = await open(minutes * minute, { type: 'navigate', ageMs: 3000 })
  vi.stubGlobal('fetch', () => Promise.reject(new Error('nobody is asked')))
  await currentIdentity()
  expect(Math.abs(serverNowMs() - serverMs)).toBeLessThanOrEqual(1000)
  expect(Number.isInteger(serverNowMs())).toBe(true)
})

test('the token of a page shown again does not set the time', async () => {
  const { serverNowMs } = await open(0, { type: 'back_forward', ageMs: 5 * minute })
  expect(serverNowMs()).toBe(serverMs)
})

test('a clock corrected while the page is open is detected with the next token', async () => {
  const { currentIdentity, renewIdentity, serverNowMs } = await open(10 * minute)
  await currentIdentity()
  vi.setSystemTime(serverMs)
  expect(serverNowMs()).toBeLessThan(serverMs - 9 * minute)
  vi.stubGlobal('fetch', async () => Response.json({ token: tokenAt(serverMs) }))
  await renewIdentity()
  expect(Math.abs(serverNowMs() - serverMs)).toBeLessThanOrEqual(1000)
})
