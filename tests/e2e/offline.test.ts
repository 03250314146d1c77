/** The page without a network, by its service worker: it opens, shows and finds threads, and delivers later what is sent. */
import type { BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newGuest } from '../support/guest.ts'
import { openRecord } from '../support/record-file.ts'
import { isPersisted } from './is-persisted.ts'
import { insertThread } from './past-threads.ts'
import { pathOf, setStage, show } from './stage.ts'
import { type UserPage, untilDrawn } from './user-page.ts'

const { newUser, openWithCookie, product } = setStage({
  visits: { hasServiceWorker: true, prefetches: true },
  ignoredErrors: /Unauthorized|ERR_INTERNET_DISCONNECTED|WebSocket|Failed to connect/,
})

/** A new user on a page that the service worker controls. */
async function arriveInstalled(): Promise<UserPage> {
  const user = await newUser()
  await user.open()
  // The first gesture.
  await user.page.mouse.move(10, 10)
  await user.page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  return user
}

async function ask(user: UserPage, text: string): Promise<void> {
  await user.send(`/demo chunks=3 delay=0 ${text}`)
  await user.untilAnswered()
  await expect.poll(() => isPersisted(user.page, text)).toBe(true)
  // With the end of the answer. Otherwise the next page shows a thread that is still being answered.
  await expect.poll(() => isPersisted(user.page, 'word3')).toBe(true)
}

async function openAnother(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(path)
  await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor()
  return page
}

function countSent(text: string): number {
  const record = openRecord(product().stateDir, true)
  const row = record
    .prepare('select count(*) as sent from message where message like ? and message like \'%"role":"user"%\'')
    .get(`%${text}%`)
  record.close()
  return Number(row?.sent)
}

test('the page is installable', async () => {
  const { page, context } = await arriveInstalled()
  const session = await context.newCDPSession(page)
  const manifest = await session.send('Page.getAppManifest')
  expect(manifest.errors).toEqual([])
  expect(JSON.parse(manifest.data ?? '')).toMatchObject({ name: 'Parley', display: 'standalone' })
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors')
  // Test contexts are private windows, which cannot install.
  expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([])
})

test('a message that is sent on the first paint, before any script, installs the page', async () => {
  const { page, composer, untilAnswered } = await newUser()
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route('**/assets/*.js', (route) => promise.then(() => route.continue()))
  await page.goto('/', { waitUntil: 'commit' })
  await page.locator('#first-paint textarea').waitFor()
  await page.keyboard.type('/demo chunks=2 delay=0 sent at once')
  await page.keyboard.press('Enter')
  resolve()
  await composer.waitFor()
  await untilAnswered()
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
})

test('without a network the page opens and finds threads; one that is open when the network returns delivers once what a closed one sent', async () => {
  const user = await arriveInstalled()
  const { context, page } = user
  await ask(user, 'about the tides')
  const path = pathOf(user)
  await context.setOffline(true)
  await page.close()

  const offline = await openAnother(context, path)
  const conversation = offline.getByRole('log', { name: 'Conversation' })
  await conversation.getByText('about the tides').first().waitFor()
  await offline.keyboard.press('Control+k')
  await offline.getByRole('combobox').fill('tides')
  await offline.getByRole('option', { name: /tides/i }).first().waitFor()
  await offline.keyboard.press('Escape')
  await offline.getByRole('dialog').waitFor({ state: 'detached' })
  const composer = offline.getByRole('textbox', { name: 'Message', exact: true })
  await composer.fill('/demo chunks=3 delay=0 about the moon')
  await offline.getByRole('button', { name: 'Send message' }).click()
  await conversation.getByText('about the moon').waitFor()
  await show({ page: offline }, 'offline-thread')
  await expect.poll(() => isPersisted(offline, 'about the moon')).toBe(true)
  await offline.close()
  expect(countSent('about the moon')).toBe(0)

  const next = await openAnother(context, path)
  await next.getByRole('log', { name: 'Conversation' }).getByText('about the moon').first().waitFor()
  await context.setOffline(false)
  const answers = next.getByRole('log', { name: 'Conversation' }).getByRole('article', { name: 'Answer' })
  await expect.poll(() => answers.count()).toBe(2)
  await expect.poll(() => answers.last().innerText()).toContain('word3')
  expect(countSent('about the moon')).toBe(1)
})

test('a new device opens threads without a network that it has never opened, also those below the first screen', async () => {
  const guest = await newGuest(product().url)
  const idOf = (n: number) => `t${n}-${guest.userId}`
  await product().kill9()
  for (let n = 1; n <= 60; n++) {
    const texts = [`Question ${n} of the past`, `Answer ${n} of the past`]
    const path = texts.map((text, at) => ({
      id: `m${at}-${idOf(n)}`,
      parentId: at === 0 ? null : `m0-${idOf(n)}`,
      text,
      isAnswer: at === 1,
    }))
    insertThread(product(), guest.userId, idOf(n), `Thread ${n}`, Date.now() - n * 1000, `m1-${idOf(n)}`, path)
  }
  await product().restart()
  const user = await openWithCookie(guest)
  const { context, page } = user
  // Nothing before the first gesture.
  expect(await isPersisted(page, 'Answer 60 of the past')).toBe(false)
  await page.mouse.move(10, 10)
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  await expect.poll(() => isPersisted(page, 'Answer 60 of the past'), { timeout: 60_000 }).toBe(true)
  await context.setOffline(true)
  await page.close()
  const offline = await openAnother(context, `/${idOf(60)}`)
  const conversation = offline.getByRole('log', { name: 'Conversation' })
  await conversation.getByText('Answer 60 of the past').waitFor()
  await conversation.getByText('Question 60 of the past').waitFor()
})

test('signing out leaves nothing of the user in the browser', async () => {
  const user = await arriveInstalled()
  const { page } = user
  await ask(user, 'about the wind')
  const { user: account } = await (await page.request.get('/api/auth/get-session')).json()
  const cached = () =>
    page.evaluate(async () => {
      const found: string[] = []
      for (const name of await caches.keys()) {
        const cache = await caches.open(name)
        for (const request of await cache.keys()) found.push(request.url, (await (await cache.match(request))?.text()) ?? '')
      }
      return found.join('\n')
    })
  expect(await cached()).toContain('page-settings')
  expect(await cached()).not.toContain(account.id)
  expect(await cached()).not.toContain('about the wind')
  await page.getByRole('button', { name: new RegExp(account.name) }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Logout' }).click()
  await page.waitForURL('**/logged-out')
  await expect.poll(() => isPersisted(page, 'about the wind')).toBe(false)
  expect(await cached()).not.toContain(account.id)
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain(account.id)
  // Without a network, the shell finds no rows.
  await user.context.setOffline(true)
  await page.goto('/')
  await page.getByText("The server can't be reached").waitFor()
  await show(user, 'offline-signed-out')
})

test('a newer build is offered once, while the user does not type, and Reload activates it', async () => {
  const user = await arriveInstalled()
  const { page, composer } = user
  const offer = page.getByText('Parley has been updated')
  await composer.fill('half a thought')
  // Another script address is another worker. The page counts as older, because the worker does not know its script.
  await page.evaluate(async () => {
    document.querySelector('script[type="module"]')?.setAttribute('src', '/assets/older.js')
    const registration = await navigator.serviceWorker.register('/sw.js?newer')
    while (!registration.waiting) await new Promise((resolve) => setTimeout(resolve, 50))
    // The worker handles messages in order, so the page has received its response by then.
    const { port1, port2 } = new MessageChannel()
    registration.waiting.postMessage({ type: 'IS_SAME_BUILD' }, [port2])
    await new Promise((resolve) => {
      port1.onmessage = resolve
    })
  })
  await untilDrawn(user)
  expect(await offer.count()).toBe(0)
  await composer.blur()
  await offer.waitFor()
  await show(user, 'update-offer')
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.waitForFunction(() => !document.querySelector('script[src="/assets/older.js"]'))
  await page.mouse.move(20, 20)
  await expect.poll(() => composer.inputValue()).toBe('half a thought')
  // The build's worker waits now and takes over without an offer.
  await page.waitForFunction(async () => (await navigator.serviceWorker.getRegistration())?.active?.scriptURL.endsWith('/sw.js'))
  expect(await offer.count()).toBe(0)
})

test('a newer page in another tab is offered once, while the user does not type', async () => {
  const user = await newUser()
  await user.open()
  const { page, composer } = user
  const offer = page.getByText('Parley has been updated')
  await composer.fill('half a thought')
  // The sync client listens for other pages before it has rows.
  await page.getByRole('button', { name: /credits left/ }).waitFor()
  // Sends the message of the sync client of a page with another schema.
  await page.evaluate(async () => {
    for (const { name = '' } of await indexedDB.databases()) {
      const [, replica] = /^rep:([^:]+):/.exec(name) ?? []
      new BroadcastChannel(`replicache-new-client-group-v1:${replica}`).postMessage({ clientGroupID: 'newer', idbName: 'newer' })
    }
    await new Promise((resolve) => setTimeout(resolve, 500))
  })
  await untilDrawn(user)
  expect(await offer.count()).toBe(0)
  await composer.blur()
  await offer.waitFor()
  await show(user, 'update-offer-other-tab')
})

test('a rename, a deletion and a setting made without a network in a tab that closes at once are delivered', async () => {
  const user = await arriveInstalled()
  const { context, page, threads } = user
  await ask(user, 'about the frost')
  await user.startThread()
  await ask(user, 'about the snow')
  await context.setOffline(true)
  await threads.getByRole('link', { name: /snow/i }).hover()
  const menu = (name: RegExp) => threads.getByRole('button', { name }).last()
  await menu(/snow/i).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await threads.getByRole('textbox', { name: 'Title' }).fill('Winter')
  await threads.getByRole('link', { name: /frost/i }).waitFor()
  await page.keyboard.press('Enter')
  await threads.getByRole('link', { name: 'Winter' }).waitFor()
  await threads.getByRole('link', { name: /frost/i }).hover()
  await menu(/frost/i).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('button', { name: /guest/i }).click()
  await page.getByRole('menuitemradio', { name: 'Light' }).click()
  await page.close()

  await context.setOffline(false)
  await openAnother(context, '/')
  const { user: account } = await (await context.request.get('/api/auth/get-session')).json()
  const stored = () => {
    const record = openRecord(product().stateDir, true)
    const rows = record.prepare('select title from thread where userId = ? and deletedAt is null').all(account.id)
    const setting = record.prepare('select mode from setting where userId = ?').get(account.id)
    record.close()
    return [...rows.map(({ title }) => title), setting?.mode]
  }
  await expect.poll(stored).toEqual(['Winter', 'light'])
})
