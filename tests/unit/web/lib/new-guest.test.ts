// Open tabs of one browser when a new guest starts: each one receives it, because each has loaded the previous user's drafts.
import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => {
  vi.unstubAllGlobals()
})

async function openTab() {
  vi.resetModules()
  return import('../../../../web/lib/browser-session.ts')
}

test('a new guest is reported once in every open tab, and in none opened later', async () => {
  let hasSession = false
  vi.stubGlobal('window', globalThis)
  vi.stubGlobal('document', { getElementById: () => null })
  vi.stubGlobal('navigator', {})
  vi.stubGlobal('sessionStorage', { getItem: () => null, setItem: () => undefined, removeItem: () => undefined })
  vi.stubGlobal('location', { origin: 'https://parley.example' })
  vi.stubGlobal('fetch', async (url: string) => {
    if (url.endsWith('/sign-in/anonymous')) hasSession = true
    if (!hasSession) return Response.json(null)
    return Response.json({ token: `x.${btoa(JSON.stringify({ sub: 'guest', exp: 4_000_000_000 }))}.x`, session: {} })
  })
  const [tab, other] = [await openTab(), await openTab()]
  expect(tab.takeNewGuest()).toBe(false)
  await tab.currentIdentity()
  expect([tab.takeNewGuest(), tab.takeNewGuest()]).toEqual([true, false])
  await other.currentIdentity()
  await vi.waitFor(() => expect(other.takeNewGuest()).toBe(true), 60_000)
  const later = await openTab()
  await later.currentIdentity()
  expect(later.takeNewGuest()).toBe(false)
})
