/** Pages that nobody looks at: answers that end elsewhere, where a thread is open, and how long a hidden page stays connected. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openRecord } from '../support/record-file.ts'
import { pathOf, setStage, show } from './stage.ts'
import type { UserPage, Visit } from './user-page.ts'

const { newDevice, newUser, openComposer, product } = setStage()

const dotOf = ({ threads }: UserPage, path: string) => threads.locator(`a[href="${path}"]`).getByRole('img', { name: 'New answer' })
const title = ({ page }: UserPage) => page.title()

/** Runs in the page: records notifications, and asks for nothing. `asked` counts requests for permission. */
function recordNotifications(isWanted: boolean): void {
  const record = { shown: [] as string[], asked: 0 }
  Reflect.set(globalThis, 'notifications', record)
  if (isWanted) localStorage.setItem('parley:notices', 'on')
  class Recorded {
    static permission = isWanted || sessionStorage.getItem('granted') ? 'granted' : 'default'
    static async requestPermission() {
      record.asked += 1
      sessionStorage.setItem('granted', 'true')
      Recorded.permission = 'granted'
      return 'granted'
    }
    constructor(text: string, { body }: { readonly body: string }) {
      record.shown.push(`${text}: ${body}`)
    }
  }
  Reflect.set(globalThis, 'Notification', Recorded)
}
type Notifications = { readonly shown: readonly string[]; readonly asked: number }
const notificationsOf = ({ page }: UserPage) => page.evaluate(() => Reflect.get(globalThis, 'notifications') as Notifications)

/** Runs in the page, as if the user had switched to another tab or back. */
function setHidden(isHidden: boolean): void {
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden })
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => (isHidden ? 'hidden' : 'visible') })
  document.dispatchEvent(new Event('visibilitychange'))
}

async function meetRecorded(isWanted: boolean, again?: UserPage, options?: Partial<Visit>): Promise<UserPage> {
  const user = again ? await newDevice(again, options) : await newUser(options)
  await user.page.addInitScript(recordNotifications, isWanted)
  return user
}

/** The first gesture loads the code for notifications. */
const touch = ({ page }: UserPage) => page.mouse.move(5, 5)

/** Sends while the page counts as hidden, so that it cannot mark the answer as read whenever that ends. */
async function sendHidden(user: UserPage, text: string): Promise<string> {
  await user.page.evaluate(setHidden, true)
  await user.send(text)
  await user.page.waitForURL((url) => url.pathname !== '/')
  return pathOf(user)
}

test('an answer that ended elsewhere has a dot and counts in the title, until a device has shown it', async () => {
  const desk = await openComposer()
  const path = await sendHidden(desk, '/demo chunks=2 delay=0 about tides')
  await expect.poll(() => title(desk)).toMatch(/^\(1\) /)
  await desk.startThread()
  await desk.page.evaluate(setHidden, false)
  const laptop = await newDevice(desk)
  await laptop.open()
  await touch(laptop)
  for (const user of [desk, laptop]) {
    await dotOf(user, path).waitFor()
    await expect.poll(() => title(user)).toBe('(1) Parley')
  }
  await show(desk, 'know-dot')
  await laptop.threads.locator(`a[href="${path}"]`).click()
  for (const user of [desk, laptop]) await expect.poll(() => dotOf(user, path).count()).toBe(0)
  await expect.poll(() => title(desk)).toBe('Parley')
  await expect.poll(() => title(laptop)).not.toContain('(1)')
})

test('two devices with hidden pages show one notification', async () => {
  const desk = await meetRecorded(true)
  await desk.open()
  await desk.send('/demo chunks=2 delay=0 about tides')
  await desk.untilAnswered()
  const phone = await meetRecorded(true, desk, { phone: true })
  await phone.open(pathOf(desk))
  await phone.conversation.waitFor()
  await touch(phone)
  await phone.page.evaluate(setHidden, true)
  await sendHidden(desk, '/demo chunks=2 delay=0 about moons')
  const shown = async () => (await Promise.all([desk, phone].map(notificationsOf))).flatMap(({ shown }) => shown)
  await expect.poll(shown, { timeout: 30_000 }).toEqual([expect.stringMatching(/: Your answer is ready\.$/)])
  for (const user of [desk, phone]) await expect.poll(() => title(user)).toMatch(/^\(1\) /)
  // The visible page marks the answer as read, and no page has shown a second notification.
  await phone.page.evaluate(setHidden, false)
  await expect.poll(() => title(desk)).not.toMatch(/^\(1\) /)
  expect(await shown()).toHaveLength(1)
  expect(threadColumn(pathOf(desk), 'noticedAt is not null and unreadAt is null')).toBe(1)
})

test('a hidden page shows no notification while a page is visible on another device', async () => {
  const desk = await meetRecorded(true)
  await desk.open()
  const laptop = await newDevice(desk)
  await laptop.open()
  await touch(laptop)
  const path = await sendHidden(desk, '/demo chunks=2 delay=0 about tides')
  await dotOf(laptop, path).waitFor()
  await expect.poll(() => threadColumn(path, 'noticedAt = unreadAt')).toBe(1)
  await expect.poll(() => title(desk)).toMatch(/^\(1\) /)
  expect((await notificationsOf(desk)).shown).toEqual([])
})

function threadColumn(path: string, sql: string): unknown {
  const record = openRecord(product().stateDir)
  const row = record.prepare(`select ${sql} value from thread where id = ?`).get(path.slice(1))
  record.close()
  return row?.value
}

test('notifications are offered when the user returns to an answer, once, and set in Settings', async () => {
  const desk = await meetRecorded(false)
  await desk.open()
  await sendHidden(desk, '/demo chunks=2 delay=0 about tides')
  await expect.poll(() => title(desk)).toMatch(/^\(1\) /)
  expect((await notificationsOf(desk)).asked).toBe(0)
  await desk.page.evaluate(setHidden, false)
  await show(desk, 'know-offer')
  await desk.page.getByRole('button', { name: 'Turn on', exact: true }).click()
  await expect.poll(async () => (await notificationsOf(desk)).asked).toBe(1)
  expect(await desk.page.evaluate(() => localStorage.getItem('parley:notices'))).toBe('on')
  await desk.page.goto('/account/preferences')
  const setting = desk.page.getByRole('switch', { name: 'Notifications' })
  await setting.click()
  expect(await desk.page.evaluate(() => localStorage.getItem('parley:notices'))).toBe('off')
})

test('a thread names the other devices on which it is open', async () => {
  const desk = await openComposer()
  await desk.send('/demo chunks=2 delay=0 about tides')
  await desk.untilAnswered()
  const elsewhere = (user: UserPage) => user.page.getByRole('status').filter({ hasText: /^Also open/ })
  expect(await elsewhere(desk).count()).toBe(0)
  const phone = await newDevice(desk, { phone: true })
  await phone.open(pathOf(desk))
  for (const user of [desk, phone]) await elsewhere(user).waitFor({ state: 'attached' })
  await show(desk, 'know-presence')
  await phone.send('/demo chunks=5000 delay=25 about moons')
  await elsewhere(desk).filter({ hasText: 'Answering “/demo chunks=5000 delay=25 about moons”' }).waitFor()
  await phone.page.getByRole('button', { name: 'New thread', exact: true }).first().click()
  await expect.poll(() => elsewhere(desk).count()).toBe(0)
})

/** Counts sockets that the server has accepted, and pings without an answer. While a socket connects, the clock must not run to its timeout. */
const watchSockets = (page: Page) =>
  page.addInitScript(() => {
    const watched = { open: 0, unanswered: 0 }
    class WatchedSocket extends WebSocket {
      constructor(url: string | URL, protocols?: string | string[]) {
        super(url, protocols)
        let isCounted = false
        this.addEventListener('close', () => {
          if (isCounted) watched.open -= 1
        })
        this.addEventListener('message', ({ data }) => {
          const text = String(data)
          if (text.startsWith('["pong"')) watched.unanswered = 0
          if (!text.startsWith('["connected"')) return
          isCounted = true
          watched.open += 1
        })
      }
      override send(data: string) {
        if (data.startsWith('["ping"')) watched.unanswered += 1
        super.send(data)
      }
    }
    Object.assign(window, { WebSocket: WatchedSocket, watched })
  })

test('a hidden page stays connected for 30 minutes, and connects again when it is shown', async () => {
  const guest = await newUser()
  const { page } = guest
  await page.clock.install()
  await watchSockets(page)
  await guest.open()
  const watched = () => page.evaluate(() => (window as unknown as { watched: { open: number; unanswered: number } }).watched)
  await expect.poll(watched).toEqual({ open: 1, unanswered: 0 })
  const show = (state: 'visible' | 'hidden') =>
    page.evaluate((visibilityState) => {
      Object.defineProperty(document, 'visibilityState', { value: visibilityState, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, state)
  await show('hidden')
  // Shorter than the timeout of a ping, which the server answers in real time.
  const stepMs = 4000
  for (let passedMs = 0; passedMs < 30 * 60_000 - stepMs; passedMs += stepMs) {
    await expect.poll(watched, { interval: 1 }).toEqual({ open: 1, unanswered: 0 })
    await page.clock.fastForward(stepMs)
  }
  expect(await watched()).toMatchObject({ open: 1 })
  await page.clock.fastForward(stepMs)
  await expect.poll(watched).toMatchObject({ open: 0 })
  await show('visible')
  await expect.poll(watched).toMatchObject({ open: 1 })
})
