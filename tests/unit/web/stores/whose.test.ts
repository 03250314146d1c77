// What is kept of a person in a browser that others use, too: who finds it, and who does not.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { stubLocalStorage } from './local-storage.ts'

let items: Map<string, string>
beforeEach(() => {
  items = stubLocalStorage()
})
afterEach(() => {
  vi.unstubAllGlobals()
})

async function openPage() {
  vi.resetModules()
  const [whose, forget, efforts] = await Promise.all([
    import('../../../../web/stores/whose.ts'),
    import('../../../../web/stores/forget.ts'),
    import('../../../../web/stores/new-effort.ts'),
  ])
  return {
    write: () => efforts.chooseNewEffort('high'),
    /** Whether what was written is there for this person. */
    findsIt: (userId: string, isNewGuest = false) => {
      forget.forgetSomebodyElses(userId, isNewGuest)
      return efforts.newThreadEffort.get() !== null
    },
    keepWhose: whose.keepWhose,
  }
}

test('an account that signs in after another finds nothing of it; the same one does', async () => {
  const page = await openPage()
  page.write()
  page.keepWhose('ada', false)
  expect((await openPage()).findsIt('ada')).toBe(true)
  expect((await openPage()).findsIt('bob')).toBe(false)
  // Nobody's any more: what is written next is kept before it is known who it is.
  const next = await openPage()
  next.write()
  expect((await openPage()).findsIt('bob')).toBe(true)
})

test('a guest who signs in takes it along, and another guest does not find it', async () => {
  const page = await openPage()
  page.write()
  page.keepWhose('guest', true)
  expect((await openPage()).findsIt('ada')).toBe(true)
  expect((await openPage()).findsIt('guest-2', true)).toBe(false)
})

test('a page that was another’s goes by itself, whatever a faster one has kept since', async () => {
  const page = await openPage()
  page.write()
  page.keepWhose('ada', false)
  const faster = await openPage()
  faster.findsIt('bob')
  faster.keepWhose('bob', false)
  expect(page.findsIt('bob')).toBe(false)
})

test.each(['{', '7', '{"userId":7,"isGuest":false}'])('%j in storage is nobody', async (stored) => {
  items.set('parley:whose', stored)
  const page = await openPage()
  page.write()
  expect((await openPage()).findsIt('bob')).toBe(true)
})
