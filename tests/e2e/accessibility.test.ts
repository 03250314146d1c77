/** Every main screen, dark and light, on a desk and on a phone: axe-core finds nothing to complain about. */
import { beforeAll, expect, test } from 'vitest'
import { pdf, pngOf } from '../support/sample-files.ts'
import { problemsInBothModes } from './axe.ts'
import type { Visit } from './person.ts'
import { pathOf, setStage, show } from './stage.ts'

/** Never asked: their buttons are looked at. */
const companies = { GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret', GITHUB_CLIENT_ID: 'id', GITHUB_CLIENT_SECRET: 'secret' }

const { arrive, meet } = setStage({ product: { env: companies }, visits: { still: true } })
/** One guest for all: everything they have is on every device anyway, and answers take their time. */
let guest: { readonly storageState: NonNullable<Visit['storageState']>; readonly thread: string }

beforeAll(async () => {
  const person = await arrive()
  await person.send('Explain the tides to me')
  await person.untilAnswered()
  await person.send('/demo chunks=6 delay=0 fail')
  await person.conversation.getByRole('button', { name: 'Retry' }).waitFor()
  guest = { storageState: { cookies: await person.context.cookies(), origins: [] }, thread: pathOf(person) }
})

test.each(['desk', 'phone'])('on a %s, dark and light', async (device) => {
  const phone = device === 'phone'
  const person = await meet({ phone, storageState: guest.storageState })
  const { page, conversation, threads } = person
  const found: Record<string, object> = {}
  const look = async (screen: string) => {
    await show(person, `${screen}-${device}`)
    const problems = await problemsInBothModes(person)
    if (Object.keys(problems).length > 0) found[screen] = problems
  }
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
  const userMenu = async () => {
    if (phone) await button('Open sidebar').click()
    await button(/credits left/).click()
    await page.getByRole('menu', { name: 'You' }).waitFor()
  }

  await page.goto('/account')
  for (const section of ['Appearance', 'Subscription', 'Preferences', 'Models', 'Account']) {
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: section }).click()
    await page.locator('main :is(h2, form, li)').first().waitFor()
    await look(section)
  }
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Subscription' }).click()
  await button('Upgrade to PRO').click()
  await page.getByRole('dialog', { name: 'Upgrade to PRO' }).waitFor()
  await look('offer of PRO')
  await page.keyboard.press('Escape')

  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Account' }).click()
  await page.getByText('Current', { exact: true }).waitFor()
  await button('Delete everything').click()
  await page.getByRole('dialog', { name: 'Delete everything' }).waitFor()
  await look('delete everything')
  await page.keyboard.press('Escape')

  await person.open()
  const files = [
    { name: 'cat.png', mimeType: 'image/png', buffer: Buffer.from(pngOf(60, 40)) },
    { name: 'paper.pdf', mimeType: 'application/pdf', buffer: Buffer.from(pdf) },
  ]
  await page.getByLabel('Files', { exact: true }).setInputFiles(files)
  await button('Open cat.png').click()
  await page.getByRole('dialog', { name: 'cat.png' }).getByRole('img').waitFor()
  await look('a picture, large')
  await page.keyboard.press('Escape')
  await page.getByText('paper.pdf').waitFor()
  await look('composer with files')
  for (const { name } of files) await button(`Remove ${name}`).click()
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
  await page.getByRole('textbox', { name: 'E-mail' }).fill(`look@${device}.test`)
  await button('Continue').click()
  await page.getByRole('heading', { name: 'Magic link sent' }).waitFor()
  await look('magic link')
  await page.getByRole('textbox', { name: 'Code' }).fill('000000')
  await page.getByText('That code is not right.').waitFor()
  await look('wrong code')
  person.forgive(/400 \(Bad Request\)/)
  await page.goto('/api/outbox')
  await page.getByRole('heading', { name: 'Outbox' }).waitFor()
  await look('outbox')
  await page.goto('/magic-link?token=x&guest=y')
  await page.getByRole('heading', { name: 'Did you ask for this link?' }).waitFor()
  await look('link of another browser')
  await page.goto('/logged-out?deleted=true')
  await page.getByRole('heading', { name: 'Everything is deleted' }).waitFor()
  await look('deleted')
  await page.goto('/logged-out')
  await page.getByRole('heading', { name: 'You are logged out' }).waitFor()
  await look('logged out')

  expect(found).toEqual({})
})
