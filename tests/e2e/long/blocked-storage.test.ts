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
const noRoom = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') };"

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
  ['a full localStorage', noRoom, noTexts],
  ['all storage blocked', denied('localStorage') + denied('sessionStorage') + openThrows, nothing],
])('with %s a message is answered and a notice says what is lost', async (_, script, notice) => {
  const person = await newUser()
  person.ignoreErrors(storageErrors)
  await person.context.addInitScript(script)
  await person.open()
  await person.page.getByText(notice).waitFor()
  await person.send('/demo chunks=3 delay=0')
  await person.untilAnswered()
  await expect.poll(() => person.answer()).toContain('word3')
  expect(await person.page.getByText('Offline.').count()).toBe(0)
  await person.page.getByRole('button', { name: 'Dismiss' }).click()
  await person.page.getByText(notice).waitFor({ state: 'detached' })
})

test('an IndexedDB that fills up later shows the notice, and the open page continues', async () => {
  const person = await newUser()
  person.ignoreErrors(storageErrors)
  await person.context.addInitScript(fullLater)
  await person.open()
  await person.send('/demo chunks=3 delay=0')
  await person.untilAnswered()
  expect(await person.page.getByText(noRows).count()).toBe(0)
  await person.page.evaluate(() => Object.assign(window, { isFull: true }))
  await person.send('/demo chunks=5 delay=0')
  await person.conversation.getByText('word5').waitFor()
  await person.page.getByText(noRows).waitFor()
})

test('a draft that no longer fits into localStorage shows a notice', async () => {
  const person = await newUser()
  await person.open()
  await person.composer.fill('short')
  await person.page.evaluate(noRoom)
  await person.composer.fill('a text that no longer fits')
  await person.page.getByText(noTexts).waitFor()
  expect(await person.composer.inputValue()).toBe('a text that no longer fits')
})

test.each([false, true])('the notices fit the window, on a phone: %s', async (phone) => {
  const person = await newUser({ phone, prefetches: true })
  person.ignoreErrors(/denied|WebSocket|ERR_INTERNET_DISCONNECTED/)
  await person.context.addInitScript(denied('localStorage') + openThrows)
  await person.open()
  await person.page.getByText(nothing).waitFor()
  await person.context.setOffline(true)
  if (phone)
    await person.page
      .getByRole('status')
      .filter({ hasText: /^Offline\./ })
      .waitFor()
  else await person.page.getByText('Keep this tab open until then.').waitFor()
  expect(await person.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  await show(person, `storage-${phone ? 390 : 1440}`)
})
