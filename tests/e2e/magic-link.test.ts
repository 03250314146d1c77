// The landing page of a magic link in a browser.
import { expect, test } from 'vitest'
import { linkIn, pathOf, setStage } from './stage.ts'

const { mailTo, meet } = setStage()

test('a magic link logs in once, by its button; opening it uses nothing; a used link continues for its account and offers a new link to others', async () => {
  const guest = await meet()
  const { page } = guest
  await page.goto('/login?callbackUrl=javascript:alert(1)')
  await page.getByRole('textbox', { name: 'Email' }).fill('mira@example.test')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Magic link sent' }).waitFor()
  const link = linkIn(await mailTo('mira@example.test'))
  for (const _ of [1, 2]) {
    await page.goto(link)
    await page.getByText('This link logs you in as mira@example.test').waitFor()
  }
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await expect.poll(() => pathOf(guest)).toBe('/')
  await page.getByRole('button', { name: /mira.*Free · 20 credits left/ }).waitFor()
  await page.goto(link)
  await page.getByRole('heading', { name: 'You are already logged in' }).waitFor()
  await page.getByRole('link', { name: 'Continue to Parley' }).click()
  await page.getByRole('button', { name: /mira.*Free · 20 credits left/ }).waitFor()
  const other = await meet()
  await other.page.goto(link)
  await other.page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
  await other.page.getByRole('link', { name: 'Get a new link' }).waitFor()
})
