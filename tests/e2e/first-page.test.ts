/** The first page: what it transfers, and how it renders from its inlined rows: before its socket opens, in a new browser, and without any socket. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { budgets } from '../../scripts/first-load.ts'
import { type Manifest, staticClosure } from '../../scripts/lib/budget.ts'
import { manifestFile } from '../../scripts/lib/paths.ts'
import type { InlinedPage } from '../../worker/contract/first-page.ts'
import { pathOf, setStage } from './stage.ts'
import type { UserPage } from './user-page.ts'

const { newDevice, newUser, openComposer } = setStage()

/** Sockets of this browser open and receive nothing until they are released. */
async function holdSockets(user: UserPage): Promise<{ readonly opened: () => number; readonly release: () => void }> {
  let opened = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  await user.context.routeWebSocket(/\/sync\//, async (socket) => {
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

const briefly = '/demo chunks=3 delay=0 about the comets'
const words = 'Explain the comets to me'

async function withTwoThreads(newest: string): Promise<{ readonly guest: UserPage; readonly path: string }> {
  const guest = await openComposer()
  await guest.send('/demo chunks=3 delay=0 The first of two threads')
  await guest.untilAnswered()
  await guest.startThread()
  await guest.send(newest)
  await guest.untilAnswered()
  await expect.poll(() => guest.page.title()).toMatch(/comets/i)
  await guest.threads.getByRole('link', { name: /comets/i }).waitFor()
  return { guest, path: pathOf(guest) }
}

/** The cached rows of a page are up to a second old, and a page without a socket receives nothing newer. */
async function openOnceServed({ page, threads }: UserPage, path: string) {
  await expect.poll(async () => servedThreads(await (await page.request.get(path)).text())).toBe(2)
  await page.goto(path)
  await expect.poll(() => threads.getByRole('link').count()).toBe(2)
}

/** The number of threads in the list of the served page. */
function servedThreads(html: string): number {
  const json = /<script type="application\/json" id="first-page">(.*?)<\/script>/s.exec(html)?.[1]
  return (JSON.parse(json ?? 'null') as InlinedPage | null)?.firstPage.threads.length ?? 0
}

test('without a socket the list, the title, the user and the thread’s text are shown; connecting updates stale rows', async () => {
  const { guest, path } = await withTwoThreads(words)
  const other = await newDevice(guest)
  const sockets = await holdSockets(other)
  await openOnceServed(other, path)
  await other.conversation.getByRole('article', { name: 'Your message' }).getByText(words).waitFor()
  await other.conversation.getByRole('article', { name: 'Answer' }).locator('table').first().waitFor()
  await expect.poll(() => other.threads.getByRole('link').count()).toBe(2)
  await expect.poll(() => other.page.title()).toMatch(/comets/i)
  const name = (await guest.page.getByRole('button', { name: /guest/i }).first().innerText()).trim()
  const nameOnOther = async () => (await other.page.getByRole('button', { name: /guest/i }).first().innerText()).trim()
  await expect.poll(nameOnOther).toBe(name)

  // Meanwhile the other thread is deleted on another device.
  await guest.threads.getByRole('link').last().hover()
  await guest.threads
    .getByRole('button', { name: /first of two/i })
    .last()
    .click()
  await guest.page.getByRole('menuitem', { name: 'Delete' }).click()
  await expect.poll(() => guest.threads.getByRole('link').count()).toBe(1)
  expect(await other.threads.getByRole('link').count()).toBe(2)

  await expect.poll(sockets.opened).toBeGreaterThan(0)
  sockets.release()
  await expect.poll(() => other.threads.getByRole('link').count()).toBe(1)
  await other.conversation.getByRole('article', { name: 'Your message' }).getByText(words).waitFor()
  // A deleted thread does not reappear, whatever the page subscribes to next.
  await other.startThread()
  expect(await other.threads.getByRole('link').count()).toBe(1)
  other.ignoreErrors(/Failed to connect/)
})

const messageText = '/demo chunks=3 delay=0 Said before anybody listened'

test('actions before the connection take effect: a deletion at once, a message as soon as it can be sent', async () => {
  const { guest, path } = await withTwoThreads(briefly)
  const other = await newDevice(guest)
  const sockets = await holdSockets(other)
  await openOnceServed(other, path)
  await other.threads.getByRole('link').last().hover()
  await other.threads
    .getByRole('button', { name: /first of two/i })
    .last()
    .click()
  await other.page.getByRole('menuitem', { name: 'Delete' }).click()
  await expect.poll(() => other.threads.getByRole('link').count()).toBe(1)
  await other.composer.fill(messageText)
  await other.composer.press('Enter')
  expect(await other.composer.inputValue()).toBe(messageText)

  sockets.release()
  await guest.conversation.getByText(messageText).first().waitFor()
  await other.conversation.getByRole('article', { name: 'Your message' }).getByText(messageText).waitFor()
  await expect.poll(() => guest.threads.getByRole('link').count()).toBe(1)
  await expect.poll(() => other.composer.inputValue()).toBe('')
  expect(await other.threads.getByRole('link').count()).toBe(1)
  await Promise.all([guest.untilAnswered(), other.untilAnswered()])
  // The client library logs an action that it could not decide at first, and a socket without messages.
  other.ignoreErrors(/threads\.delete|Failed to connect/)
})

test('a model picker is offered once the models have loaded, and lists them', async () => {
  const { guest, path } = await withTwoThreads(briefly)
  const other = await newDevice(guest)
  const sockets = await holdSockets(other)
  await openOnceServed(other, path)
  await other.page.keyboard.press('Control+k')
  const field = other.page.getByRole('combobox', { name: 'Search threads and commands' })
  await field.fill('theme')
  // The user is loaded by now, and commands that do not depend on models work.
  await other.page
    .getByRole('option', { name: /^Change theme/ })
    .first()
    .waitFor()
  await field.fill('switch model')
  await other.page.getByText('Nothing found').waitFor()
  sockets.release()
  await other.page.getByRole('option', { name: /^Switch model/ }).waitFor()
  await other.page.keyboard.press('Enter')
  await other.page.getByRole('option', { name: /^Kimi K2 From 1 credit/ }).waitFor()
  other.ignoreErrors(/Failed to connect/)
})

type Transfer = { readonly path: string; readonly bytes: number; readonly isBeforePaint: boolean }

test('a first visit transfers each declared script once, no others, within the budgets', async () => {
  const { page, open } = await newUser({ prefetches: true })
  await open()
  await page.waitForLoadState('networkidle')
  // An import reads from the HTTP cache what `web/lib/load-chunk.ts` has fetched: nothing is transferred then.
  const transferred = await page.evaluate((): Transfer[] => {
    const paintedAtMs = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0
    return (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .filter(({ name, transferSize }) => name.endsWith('.js') && transferSize > 0)
      .map(({ name, startTime, encodedBodySize }) => ({
        path: new URL(name).pathname.slice(1),
        bytes: encodedBodySize,
        isBeforePaint: startTime <= paintedAtMs,
      }))
  })

  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest
  const [beforePaint, untilReady] = budgets
  const measured = [
    { budget: beforePaint, scripts: transferred.filter(({ isBeforePaint }) => isBeforePaint) },
    { budget: untilReady, scripts: transferred },
  ]
  for (const { budget, scripts } of measured) {
    expect(scripts.map(({ path }) => path).sort(), budget.name).toEqual(staticClosure(manifest, budget.entries).sort())
    const bytes = scripts.reduce((sum, script) => sum + script.bytes, 0)
    // The local server compresses less thoroughly than the build's measure; uncompressed scripts would be three times as many bytes.
    expect(bytes, budget.name).toBeLessThan(budget.maxBytes * 1.15)
  }
})
