/** Every main screen, dark and light, on a desk and on a phone: axe-core finds nothing to complain about. */
import axe from 'axe-core'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { type Product, startProduct } from '../support/product.ts'
import { type Person, visit } from './person.ts'

let product: Product
let browser: Browser
/** One guest for all: everything they have is on every device anyway, and answers take their time. */
let guest: { readonly cookies: Awaited<ReturnType<Person['context']['cookies']>>; readonly thread: string }

beforeAll(async () => {
  product = await startProduct()
  browser = await launchBrowser()
  const person = await visit(browser, { url: product.url })
  await person.open()
  await person.send('Explain the tides to me')
  await person.untilAnswered()
  await person.send('/demo chunks=6 delay=0 fail')
  await person.conversation.getByRole('button', { name: 'Retry' }).waitFor()
  guest = { cookies: await person.context.cookies(), thread: new URL(person.page.url()).pathname }
  await person.leave()
}, 120_000)

afterAll(async () => {
  await browser?.close()
  await product?.stop()
})

/** The page after axe's own source has run in it. */
type AxePage = { readonly axe: typeof axe }

/** What axe found on the page as it is now, each with where and why, so that a failure can be mended from its message. */
async function problemsOf({ page }: Person): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() => (globalThis as unknown as AxePage).axe.run(document, { resultTypes: ['violations'] }))
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`))
}

const combinations = (['Dark', 'Light'] as const).flatMap((mode) => [
  { mode, device: 'desk', phone: false },
  { mode, device: 'phone', phone: true },
])

test.each(combinations)('$mode on a $device', async ({ mode, phone }) => {
  const person = await visit(browser, { url: product.url, phone, still: true, storageState: { cookies: guest.cookies, origins: [] } })
  const { page, conversation, threads } = person
  const found: Record<string, string[]> = {}
  const look = async (screen: string) => {
    const problems = await problemsOf(person)
    if (problems.length > 0) found[screen] = problems
  }
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
  const userMenu = async () => {
    if (phone) await button('Open sidebar').click()
    await button(/credits left/).click()
    await page.getByRole('menu', { name: 'You' }).waitFor()
  }

  await page.goto('/account/appearance')
  await page.getByText(mode, { exact: true }).click()
  await page.locator(`html.${mode.toLowerCase()}`).waitFor()
  for (const section of ['Account', 'Subscription', 'Preferences', 'Models', 'Appearance']) {
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: section }).click()
    await page.locator('main :is(h2, form, li)').first().waitFor()
    await look(section)
  }

  await person.open()
  await button('Model').click()
  await page.getByRole('combobox', { name: 'Find model' }).fill('opus')
  await look('model picker')
  await page.getByRole('option').first().click({ force: true })
  await page.getByText('Upgrade to PRO').waitFor()
  await look('model picker that refuses')
  await page.keyboard.press('Escape')
  await userMenu()
  await look('new thread with the user menu')
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await page.getByRole('alertdialog', { name: 'Logout' }).waitFor()
  await look('logout')

  await person.open(guest.thread)
  await conversation.getByRole('button', { name: 'Show details' }).click()
  await look('failed answer')
  await conversation.evaluate((log) => log.scrollTo({ top: 0 }))
  await conversation.getByRole('button', { name: /Thought for/ }).click()
  await look('answer with its reasoning')
  if (phone) await button('Open sidebar').click()
  await threads.getByRole('listitem').first().hover()
  await threads.getByRole('button', { name: /^More for/ }).click()
  await look('threads with a menu')
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Title' }).fill('x'.repeat(101))
  await look('rename, too long')

  await page.goto('/nobodys-thread-0000000')
  await page.getByText('Not found').waitFor()
  await look('not found in the chat')
  await page.goto('/no/such/page')
  await page.getByText('Not found').waitFor()
  await look('not found')
  await page.goto('/login?error=INVALID_TOKEN')
  await page.getByRole('heading', { name: 'Log in to Parley' }).waitFor()
  await look('login')
  await page.goto('/logged-out')
  await page.getByRole('heading', { name: 'You are logged out' }).waitFor()
  await look('logged out')

  expect(found).toEqual({})
  expect(person.complaints()).toEqual([])
  await person.leave()
})
