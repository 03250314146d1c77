/** The page paints from what it was served with: before its socket opens, in a browser that has never been here, and even without any socket. */
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { type Product, startProduct } from '../support/product.ts'
import { type Person, visit } from './person.ts'

let product: Product
let browser: Browser
let people: Person[] = []

const meet = async (options: Partial<Parameters<typeof visit>[1]> = {}): Promise<Person> => {
  const person = await visit(browser, { url: product.url, ...options })
  people.push(person)
  return person
}

/** The same session in a browser that holds no rows. */
const meetAgain = async (person: Person): Promise<Person> => {
  const { cookies } = await person.context.storageState()
  return meet({ storageState: { cookies, origins: [] } })
}

beforeAll(async () => {
  product = await startProduct()
  browser = await launchBrowser()
}, 120_000)

afterEach(async () => {
  const complaints = people.flatMap((person) => person.complaints())
  await Promise.all(people.map((person) => person.leave()))
  people = []
  expect(complaints).toEqual([])
})

afterAll(async () => {
  await browser?.close()
  await product?.stop()
})

/** Sockets of this browser open and say nothing until they are let through. */
async function holdSockets(person: Person): Promise<{ readonly opened: () => number; readonly release: () => void }> {
  let opened = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  await person.context.routeWebSocket(/\/sync\//, async (socket) => {
    opened += 1
    const held: (string | Buffer)[] = []
    let pass = (message: string | Buffer): void => void held.push(message)
    socket.onMessage((message) => pass(message))
    await promise
    const server = socket.connectToServer()
    pass = (message) => server.send(message)
    for (const message of held) pass(message)
  })
  return { opened: () => opened, release: resolve }
}

async function withTwoThreads(): Promise<{ readonly guest: Person; readonly path: string; readonly words: string }> {
  const guest = await meet()
  await guest.open()
  await guest.send('The first of two threads /demo')
  await guest.untilAnswered()
  await guest.page.getByRole('button', { name: 'New thread' }).first().click()
  await guest.send('Explain the tides to me')
  await guest.untilAnswered()
  await expect.poll(() => guest.page.title()).toMatch(/tides/i)
  await guest.threads.getByRole('link', { name: /tides/i }).waitFor()
  return { guest, path: new URL(guest.page.url()).pathname, words: 'Explain the tides to me' }
}

test('without a socket the list, the title, the person and the thread’s text are there; connecting corrects what is old', async () => {
  const { guest, path, words } = await withTwoThreads()
  const other = await meetAgain(guest)
  const sockets = await holdSockets(other)
  await other.page.goto(path)
  await other.conversation.getByRole('article', { name: 'Your message' }).getByText(words).waitFor()
  await other.conversation.getByRole('article', { name: 'Answer' }).locator('table').first().waitFor()
  await expect.poll(() => other.threads.getByRole('link').count()).toBe(2)
  expect(await other.page.title()).toMatch(/tides/i)
  const name = (await guest.page.getByRole('button', { name: /guest/i }).first().innerText()).trim()
  expect((await other.page.getByRole('button', { name: /guest/i }).first().innerText()).trim()).toBe(name)

  // Meanwhile the other thread goes, elsewhere.
  await guest.threads.getByRole('link').last().hover()
  await guest.threads
    .getByRole('button', { name: /first of two/i })
    .last()
    .click()
  await guest.page.getByRole('menuitem', { name: 'Delete' }).click()
  await expect.poll(() => guest.threads.getByRole('link').count()).toBe(1)
  expect(await other.threads.getByRole('link').count()).toBe(2)

  expect(sockets.opened()).toBeGreaterThan(0)
  sockets.release()
  await expect.poll(() => other.threads.getByRole('link').count()).toBe(1)
  await other.conversation.getByRole('article', { name: 'Your message' }).getByText(words).waitFor()
  // What has left does not come back, whatever the page asks for next.
  await other.page.getByRole('button', { name: 'New thread' }).first().click()
  await other.composer.waitFor()
  expect(await other.threads.getByRole('link').count()).toBe(1)
  other.forgive(/Failed to connect/)
})

test('what is done before anything is connected holds: a deletion at once, a message as soon as it can be sent', async () => {
  const { guest, path } = await withTwoThreads()
  const other = await meetAgain(guest)
  const sockets = await holdSockets(other)
  await other.page.goto(path)
  await expect.poll(() => other.threads.getByRole('link').count()).toBe(2)
  await other.threads.getByRole('link').last().hover()
  await other.threads
    .getByRole('button', { name: /first of two/i })
    .last()
    .click()
  await other.page.getByRole('menuitem', { name: 'Delete' }).click()
  await expect.poll(() => other.threads.getByRole('link').count()).toBe(1)
  await other.composer.fill('Said before anybody listened')
  await other.composer.press('Enter')
  expect(await other.composer.inputValue()).toBe('Said before anybody listened')

  sockets.release()
  await guest.conversation.getByText('Said before anybody listened').first().waitFor()
  await other.conversation.getByRole('article', { name: 'Your message' }).getByText('Said before anybody listened').waitFor()
  await expect.poll(() => guest.threads.getByRole('link').count()).toBe(1)
  expect(await other.composer.inputValue()).toBe('')
  expect(await other.threads.getByRole('link').count()).toBe(1)
  await Promise.all([guest.untilAnswered(), other.untilAnswered()])
  // The client library reports what this browser could not decide at first, and a socket that is silent for long.
  other.forgive(/threads\.delete|Failed to connect/)
})

test('a page that is served after signing out says nothing of who was here', async () => {
  const { guest } = await withTwoThreads()
  const { cookies } = await guest.context.storageState()
  await guest.page.request.post('/api/auth/sign-out', { data: {}, headers: { origin: product.url } })
  const next = await meet({ storageState: { cookies, origins: [] } })
  const html = await (await next.page.request.get('/')).text()
  expect(html).not.toMatch(/first-page|tides/i)
  await guest.page.waitForURL('**/logged-out')
  guest.forgive(/Unauthorized|401/)
})
