// The language of the interface: chosen in the settings, live, on other devices, and from the browser.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { setStage } from './stage.ts'

const { arrive, meet } = setStage()

/** The radio button shows the stored setting, so it changes shortly after the click. */
async function choose(page: Page, language: string): Promise<void> {
  const option = page.getByRole('radio', { name: language })
  await option.click()
  await option.and(page.locator(':checked')).waitFor()
}

test('German is chosen in the settings, applies at once, and is served after a reload', async () => {
  const guest = await arrive()
  const { page } = guest
  await page.goto('/account/appearance')
  await choose(page, 'Deutsch')
  await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor()
  await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('de')
  await page.getByRole('group', { name: 'Sprache' }).waitFor()

  // The cached first page is replaced shortly after the change.
  await expect.poll(async () => (await page.request.get('/')).text()).toMatch(/lang="de"[\s\S]*Neuer Thread/)
  await page.goto('/')
  const composer = page.getByRole('textbox', { name: 'Nachricht', exact: true })
  await page.locator('[data-composer]').waitFor()
  expect(await composer.last().getAttribute('placeholder')).toBe('Nachricht schreiben')
  await page.getByRole('button', { name: 'Neuer Thread' }).waitFor()
  await composer.last().fill('/demo chunks=3 delay=0')
  await page.getByRole('button', { name: 'Nachricht senden' }).click()
  await page.getByRole('log', { name: 'Gespräch' }).getByRole('button', { name: 'Neu erzeugen', exact: true }).waitFor()

  await page.goto('/account/appearance')
  await choose(page, 'English')
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('en')
})

test('a browser that prefers German is served and shown German, with its number formats', async () => {
  const guest = await meet({ locale: 'de-DE' })
  const { page } = guest
  await page.goto('/account/subscription')
  await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor()
  await page.getByText('25,00', { exact: false }).first().waitFor()
  expect(await page.locator('html').getAttribute('lang')).toBe('de')
})
