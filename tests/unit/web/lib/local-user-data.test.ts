// Access to a user's data in a shared browser.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { mutators } from '../../../../worker/contract/mutators.ts'
import { stubLocalStorage } from '../local-storage.ts'

let items: Map<string, string>
beforeEach(() => {
  items = stubLocalStorage()
})
afterEach(() => {
  vi.unstubAllGlobals()
})

const rename = mutators.threads.rename({ threadId: 't', title: 'Winter' })

async function openPage() {
  vi.resetModules()
  const [localData, outbox] = await Promise.all([
    import('../../../../web/lib/local-user-data.ts'),
    import('../../../../web/sync/outbox.ts'),
  ])
  return {
    write: () => void outbox.keep(outbox.writeOf(rename, null), new Promise(() => undefined)),
    /** True if this user finds the unconfirmed write. */
    findsIt: (userId: string, isNewGuest = false) => {
      localData.deleteDataOfOtherUser(userId, isNewGuest)
      return outbox.unconfirmedKeys.get().size > 0
    },
    setLocalDataOwner: localData.setLocalDataOwner,
  }
}

test('an account that signs in after another finds nothing of it; the same one does', async () => {
  const page = await openPage()
  page.write()
  page.setLocalDataOwner('ada', false)
  expect((await openPage()).findsIt('ada')).toBe(true)
  expect((await openPage()).findsIt('bob')).toBe(false)
  // Without an owner: the next message is stored before the user is known.
  const next = await openPage()
  next.write()
  expect((await openPage()).findsIt('bob')).toBe(true)
})

test('a guest who signs in keeps it, and another guest does not find it', async () => {
  const page = await openPage()
  page.write()
  page.setLocalDataOwner('guest', true)
  expect((await openPage()).findsIt('ada')).toBe(true)
  expect((await openPage()).findsIt('guest-2', true)).toBe(false)
})

test('a page of another user uses its own value, whatever a faster page has stored since', async () => {
  const page = await openPage()
  page.write()
  page.setLocalDataOwner('ada', false)
  const faster = await openPage()
  faster.findsIt('bob')
  faster.setLocalDataOwner('bob', false)
  expect(page.findsIt('bob')).toBe(false)
})

test.each(['{', '7', '{"userId":7,"isGuest":false}'])('%j in storage is no owner', async (stored) => {
  items.set('parley:owner', stored)
  const page = await openPage()
  page.write()
  expect((await openPage()).findsIt('bob')).toBe(true)
})
