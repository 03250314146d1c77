/** A deployment without search, files, payments and a way to log in: the page does not show their controls. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { setStage } from './stage.ts'

const { openComposer, product } = setStage({ product: { env: { DISABLED_FEATURES: 'search,files,billing,mail,google,github' } } })

const names = ['Search', 'Research', 'Attach files', 'Log in', 'Sign up', 'Upgrade to PRO']

/** The visible controls with one of these names. */
async function controlsOn(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const name of names) {
    const control = page.getByLabel(name, { exact: true }).or(page.getByText(name, { exact: true }))
    if ((await control.and(page.locator(':visible')).count()) > 0) found.push(name)
  }
  return found
}

test('the page has no controls of features that are switched off, and answers', async () => {
  const user = await openComposer()
  const { page } = user
  expect(await controlsOn(page)).toEqual([])
  await user.send('/demo chunks=3 delay=0')
  await user.untilAnswered()
  await page.getByRole('button', { name: /credits left/ }).click()
  await page.getByRole('menuitem', { name: 'Settings' }).waitFor()
  expect(await controlsOn(page)).toEqual([])
  const served = await (await page.request.get(product().url)).text()
  expect(served).toContain('id="first-paint"')
  expect(served).not.toMatch(/href="\/login"|>Research<|>Sign up</)
})
