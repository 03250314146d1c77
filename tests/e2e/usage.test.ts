/** Settings → Usage: what was used, as chart, table and file, and the limits that a user sets. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { insertYear } from './past-use.ts'
import { savedBy } from './saved-files.ts'
import { inMode, setStage, show } from './stage.ts'

const { openComposer, newDevice, product } = setStage()

const field = (page: Page, name: string) => page.getByRole('textbox', { name })
const saved = (page: Page) => page.getByRole('status').filter({ hasText: 'Saved' })
const cellsOf = async (page: Page): Promise<string[][]> =>
  (await page.getByRole('row').all()).length === 0
    ? []
    : page
        .getByRole('table')
        .evaluate((table) =>
          [...(table as HTMLTableElement).rows].slice(1).map((row) => [...row.cells].map(({ innerText }) => innerText.trim())),
        )

test('a limit of the user refuses the next message, names the way to change it, and is lifted there', async () => {
  const desk = await openComposer()
  const { page } = desk
  await page.goto('/account/usage')
  await page.getByText('Nothing was used in this period.').waitFor()
  await show(desk, 'usage-empty')
  await field(page, 'Credits a day').fill('1.5')
  await field(page, 'Credits a day').blur()
  await page.getByText('Enter a whole number from 1 to 1,000,000').waitFor()
  await field(page, 'Credits a day').fill('1')
  await field(page, 'Credits a day').blur()
  await saved(page).waitFor()
  await page.getByText('0 of 1 credit', { exact: true }).waitFor()
  await page.goto('/')
  await desk.send('/demo chunks=2 delay=0 about tides')
  await desk.untilAnswered()
  await page.getByText('Too little is left of your daily limit').waitFor()
  await show(desk, 'usage-limit-reached')
  await page.getByRole('link', { name: 'Change limit' }).click()
  await page.getByText('1 of 1 credit', { exact: true }).waitFor()
  expect(await cellsOf(page)).toEqual([[expect.stringContaining('Kimi'), '1', '0', expect.any(String)]])
  await field(page, 'Credits a day').fill('')
  await field(page, 'Credits a day').blur()
  await page.getByText('1 of 20 credits', { exact: true }).waitFor()
  await page.goBack()
  await desk.send('/demo chunks=2 delay=0 about the moon')
  await desk.untilAnswered()
})

test('a year by day, model and project, as chart, table and file', async () => {
  const desk = await openComposer()
  const { page } = desk
  const userId = await page.evaluate(async () => {
    const session = (await (await fetch('/api/auth/get-session')).json()) as { user: { id: string } }
    return session.user.id
  })
  await page.goto('about:blank')
  await product().kill9()
  insertYear(product(), userId, Date.now())
  await product().restart()
  await page.goto('/account/usage')
  await page.getByRole('table').waitFor()
  const sumOf = async () => (await cellsOf(page)).reduce((sum, cells) => sum + Number(cells[1]?.replaceAll(',', '')), 0)
  const ofModels = await sumOf()
  await page.getByRole('button', { name: 'Project', exact: true }).click()
  await page.getByRole('rowheader', { name: 'Deleted project' }).waitFor()
  expect(await sumOf()).toBe(ofModels)
  await page.getByRole('button', { name: 'Day', exact: true }).click()
  expect(await sumOf()).toBe(ofModels)
  await page.getByRole('button', { name: '12 months' }).click()
  const showAll = page.getByRole('button', { name: /^Show all \d+ days$/ })
  await showAll.click()
  const days = await cellsOf(page)
  expect(days.length).toBeGreaterThan(250)
  const ofYear = await sumOf()
  await page.getByRole('slider', { name: new RegExp(`^Credits from .*: ${ofYear.toLocaleString('en-US')}\\.`) }).waitFor()
  await page.getByRole('button', { name: 'Model', exact: true }).click()
  await show(desk, 'usage-year')
  await inMode(page, 'light')
  await show(desk, 'usage-year-light')

  const file = await savedBy(page, () => page.getByRole('button', { name: 'Download as CSV' }).click())
  const lines = file.trim().split('\r\n').slice(1)
  expect(lines.reduce((sum, line) => sum + Number(line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)[5]), 0)).toBe(ofYear)
  expect(file).toContain(`"'=Household"`)

  await page.getByRole('button', { name: '90 days' }).click()
  await page.getByRole('button', { name: 'Searches', exact: true }).click()
  const chart = page.getByRole('slider', { name: /^Searches from / })
  await chart.hover()
  await page.getByText(/^\d+ search(es)?$/).waitFor()
  // By the keyboard: the chart says what the bar shows.
  const valueText = async () => (await chart.getAttribute('aria-valuetext')) ?? ''
  await page.mouse.move(0, 0)
  await chart.focus()
  await page.keyboard.press('End')
  const last = await valueText()
  await page.keyboard.press('ArrowLeft')
  expect(await valueText()).toMatch(/: \d+ search(es)?$/)
  expect(await valueText()).not.toBe(last)
  await page.keyboard.press('ArrowRight')
  expect(await valueText()).toBe(last)
  await show(desk, 'usage-searches')

  const mobile = await newDevice(desk, { phone: true })
  await mobile.page.goto('/account/usage')
  await mobile.page.getByRole('table').waitFor()
  await mobile.page.getByRole('button', { name: '12 months' }).click()
  expect(await mobile.page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  await show(mobile, 'usage-phone')
  await mobile.page.getByRole('table').scrollIntoViewIfNeeded()
  await inMode(mobile.page, 'light')
  await show(mobile, 'usage-phone-table')

  const german = await newDevice(desk, { phone: true, locale: 'de-DE' })
  await german.page.goto('/account/usage')
  await german.page.getByRole('table').waitFor()
  await show(german, 'usage-german')
})
