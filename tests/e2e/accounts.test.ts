/** From a guest to an account and out again, with more than one window open. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { codeIn, setStage } from './stage.ts'

/** A session that ends is heard of by its socket and by the next request; both are what these tests are about. */
const { arrive, mailTo, meet } = setStage({ forgiven: /the session has ended|401 \(Unauthorized\)|Unauthorized/ })

/** Ends where the person wanted to go. */
async function signIn(page: Page, email: string, callbackUrl = '/'): Promise<void> {
  await page.goto(`/login?callbackUrl=${encodeURIComponent(callbackUrl)}`)
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  // The mail is there before the page says so.
  await page.getByRole('heading', { name: 'Magic link sent' }).waitFor()
  await page.getByRole('textbox', { name: 'Code' }).fill(codeIn(await mailTo(email)))
  await page.waitForURL((url) => url.pathname === callbackUrl)
}

test('an answer that a guest asked for goes on in the account, in the tab that signs in and in the one beside it', async () => {
  const guest = await arrive()
  await guest.send('/demo chunks=200 delay=20')
  await guest.conversation.getByText('word20 ').waitFor()
  const path = new URL(guest.page.url()).pathname
  const beside = await guest.context.newPage()
  await beside.goto(path)
  await beside.getByRole('log', { name: 'Conversation' }).getByText('word25 ').waitFor()
  await beside.getByRole('textbox', { name: 'Message', exact: true }).fill('half a thought')
  await signIn(guest.page, 'nia@example.test', path)
  for (const page of [guest.page, beside]) {
    await page.getByRole('button', { name: /nia.*Free · 19 credits left/ }).waitFor()
    await page.getByRole('log', { name: 'Conversation' }).getByText('word200').waitFor()
    expect(new URL(page.url()).pathname).toBe(path)
    await expect.poll(() => page.getByRole('navigation', { name: 'Threads' }).getByRole('link').count()).toBe(1)
  }
  expect(await beside.getByRole('textbox', { name: 'Message', exact: true }).inputValue()).toBe('half a thought')
  expect(await guest.answers()).toBe(1)
})

test('a name is everywhere at once; a device that is revoked is out at once, and stays out when it goes back', async () => {
  const [desk, phone] = [await meet(), await meet()]
  const email = 'two@example.test'
  await signIn(desk.page, email, '/account')
  await signIn(phone.page, email)
  await phone.page.getByRole('button', { name: /credits left/ }).click()
  await phone.page.getByRole('menuitem', { name: 'Settings' }).click()
  await desk.page.getByRole('textbox', { name: 'Name' }).fill('Ada Lovelace')
  await desk.page.getByRole('button', { name: 'Save name' }).click()
  await expect.poll(() => phone.page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Ada Lovelace')
  await desk.page.reload()
  await desk.page.getByRole('button', { name: /^Revoke the session of/ }).click()
  const dialog = desk.page.getByRole('alertdialog', { name: 'Revoke Session' })
  expect(await dialog.innerText()).toContain('Are you sure you want to revoke this session?')
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await phone.page.getByRole('heading', { name: 'You are logged out' }).waitFor()
  await expect.poll(() => desk.page.getByRole('listitem').filter({ hasText: 'Logged in' }).count()).toBe(1)
  await phone.page.goBack()
  await phone.page.getByRole('heading', { name: 'You are logged out' }).waitFor()
  await phone.page.getByRole('link', { name: 'Back to home' }).click()
  await phone.page.getByRole('button', { name: /Guest · 20 credits left/ }).waitFor()
})

test('a deleted account is gone from every tab', async () => {
  const person = await meet()
  await signIn(person.page, 'gone@example.test', '/account')
  const beside = await person.context.newPage()
  await beside.goto('/account/preferences')
  await beside.getByRole('textbox', { name: 'Nickname' }).waitFor()
  await person.page.getByRole('button', { name: 'Delete account' }).click()
  await person.page.getByRole('dialog', { name: 'Delete account' }).getByRole('button', { name: 'Delete account' }).click()
  for (const page of [person.page, beside]) await page.waitForURL(/\/logged-out/)
  await signIn(person.page, 'gone@example.test', '/account')
  await person.page.getByText('Current', { exact: true }).waitFor()
  expect(await person.page.getByRole('listitem').filter({ hasText: 'Logged in' }).count()).toBe(1)
})
