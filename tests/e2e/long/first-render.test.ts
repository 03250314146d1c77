// What happens while a slow phone renders a thread for the first time.
import { expect, test } from 'vitest'
import { setStage } from '../stage.ts'
import type { UserPage } from '../user-page.ts'

const { newSignedInUser, newDevice } = setStage({ ignoredErrors: /status of 40[14]|the session has ended/ })

const secret = 'nobody else reads this'

/** A device that renders a long thread at a sixth of the speed, and another tab of its browser. */
async function renderSlowly(email: string): Promise<{ slow: UserPage; path: string; otherTab: UserPage['page'] }> {
  const writer = await newSignedInUser(email)
  await writer.open()
  for (const n of [1, 2]) {
    await writer.send(`/demo chunks=900 delay=0 ${secret} ${n}`)
    await writer.untilAnswered()
  }
  const slow = await newDevice(writer, { phone: true })
  const otherTab = await slow.context.newPage()
  await otherTab.goto('/account/appearance')
  await otherTab.getByRole('radio', { name: 'Deutsch' }).waitFor()
  const cdp = await slow.context.newCDPSession(slow.page)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 6 })
  const path = new URL(writer.page.url()).pathname
  await slow.page.goto(path, { waitUntil: 'commit' })
  return { slow, path, otherTab }
}

const moments = ['#first-paint', '#root main', '[role=log] [data-message]'] as const

test.each(moments)('a logout shows nothing of the user when %s has just appeared', async (moment) => {
  const { slow, path, otherTab } = await renderSlowly(`logout-${moments.indexOf(moment)}@example.test`)
  const { page } = slow
  await page.locator(moment).first().waitFor({ state: 'attached' })
  await otherTab.evaluate(() =>
    fetch('/api/auth/sign-out', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }),
  )
  await page.getByRole('heading', { name: 'You are logged out' }).waitFor()
  const traces = () =>
    page.evaluate(
      (words) => [document.title, document.body.innerText, JSON.stringify(localStorage)].filter((text) => text.includes(words)),
      secret,
    )
  await expect.poll(traces).toEqual([])
  await page.goto(path)
  await page.getByRole('heading', { name: 'Not found' }).waitFor()
  expect(await traces()).toEqual([])
})

test.each(moments)('a new language applies to the whole page when %s has just appeared', async (moment) => {
  const { slow, otherTab } = await renderSlowly(`language-${moments.indexOf(moment)}@example.test`)
  const { page } = slow
  await page.locator(moment).first().waitFor({ state: 'attached' })
  await otherTab.getByRole('radio', { name: 'Deutsch' }).click()
  await page.locator('html[lang=de]').waitFor({ state: 'attached' })
  await page.getByRole('textbox', { name: 'Nachricht', exact: true }).waitFor()
  expect(await page.getByRole('textbox', { name: 'Message', exact: true }).count()).toBe(0)
  await page.getByRole('log').getByText('word900').last().waitFor()
  await expect.poll(() => page.getByRole('article', { name: 'Antwort' }).count()).toBeGreaterThan(0)
  expect(await page.getByRole('article', { name: 'Answer' }).count()).toBe(0)
})
