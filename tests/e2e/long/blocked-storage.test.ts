/** Browsers without storage: the page works in memory and shows what is lost with the tab. */
import { expect, test } from 'vitest'
import { setStage, show } from '../stage.ts'

const { newUser } = setStage()

const denied = (name: string) =>
  `Object.defineProperty(window, '${name}', { get() { throw new DOMException('denied', 'SecurityError') } });`
const openThrows = "IDBFactory.prototype.open = () => { throw new DOMException('denied', 'SecurityError') };"
const openFails =
  "IDBFactory.prototype.open = () => { const request = { error: new DOMException('broken', 'UnknownError') }; setTimeout(() => request.onerror?.(new Event('error'))); return request };"
const putThrows = "IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError') };"
const fullLater =
  "{ const { put } = IDBObjectStore.prototype; IDBObjectStore.prototype.put = function (...args) { if (window.isFull) throw new DOMException('full', 'QuotaExceededError'); return put.apply(this, args) } };"
const fullStorage = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') };"

const damagedStorage =
  "for (const name of ['getItem', 'setItem', 'removeItem', 'key']) Storage.prototype[name] = () => { throw new DOMException('damaged', 'InvalidStateError') };"

const noRows = "This browser doesn't store your threads."
const noTexts = "Drafts aren't saved"
const nothing = "This browser doesn't store data. Unsent messages are lost when you close this tab."

/** Errors of the sync client before it is replaced by one in memory. */
const storageErrors = /denied|broken|full|Error during persist|^null$/

test.each([
  ['IndexedDB whose open throws', openThrows, noRows],
  ['IndexedDB whose open fails', openFails, noRows],
  ['a full IndexedDB', putThrows, noRows],
  ['blocked localStorage and sessionStorage', denied('localStorage') + denied('sessionStorage'), noTexts],
  ['a full localStorage', fullStorage, noTexts],
  ['a damaged localStorage', damagedStorage, noTexts],
  ['all storage blocked', denied('localStorage') + denied('sessionStorage') + openThrows, nothing],
])('with %s a message is answered and a notice says what is lost', async (_, script, notice) => {
  const user = await newUser()
  user.ignoreErrors(storageErrors)
  await user.context.addInitScript(script)
  await user.open()
  await user.page.getByText(notice).waitFor()
  await user.send('/demo chunks=3 delay=0')
  await user.untilAnswered()
  await expect.poll(() => user.answer()).toContain('word3')
  expect(await user.page.getByText('Offline.').count()).toBe(0)
  await user.page.getByRole('button', { name: 'Dismiss' }).click()
  await user.page.getByText(notice).waitFor({ state: 'detached' })
})

test('an IndexedDB that fills up later shows the notice, and the open page continues', async () => {
  const user = await newUser()
  user.ignoreErrors(storageErrors)
  await user.context.addInitScript(fullLater)
  await user.open()
  await user.send('/demo chunks=3 delay=0')
  await user.untilAnswered()
  expect(await user.page.getByText(noRows).count()).toBe(0)
  await user.page.evaluate(() => Object.assign(window, { isFull: true }))
  await user.send('/demo chunks=5 delay=0')
  await user.conversation.getByText('word5').waitFor()
  await user.page.getByText(noRows).waitFor()
})

test('a draft that no longer fits into localStorage shows a notice', async () => {
  const user = await newUser()
  await user.open()
  await user.composer.fill('short')
  await user.page.evaluate(fullStorage)
  await user.composer.fill('a text that no longer fits')
  await user.page.getByText(noTexts).waitFor()
  expect(await user.composer.inputValue()).toBe('a text that no longer fits')
})

test.each([false, true])('the notices fit the window, on a phone: %s', async (phone) => {
  const user = await newUser({ phone, prefetches: true })
  user.ignoreErrors(/denied|WebSocket|ERR_INTERNET_DISCONNECTED/)
  await user.context.addInitScript(denied('localStorage') + openThrows)
  await user.open()
  await user.page.getByText(nothing).waitFor()
  await user.context.setOffline(true)
  if (phone)
    await user.page
      .getByRole('status')
      .filter({ hasText: /^Offline\./ })
      .waitFor()
  else await user.page.getByText('Keep this tab open until then.').waitFor()
  expect(await user.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  await show(user, `storage-${phone ? 390 : 1440}`)
})
