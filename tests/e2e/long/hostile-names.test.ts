// Names of users that are hard to draw. `tests/workerd/auth` tests which names are stored.
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { initialOf } from '../../../worker/contract/display-names.ts'
import { setStage, show } from '../stage.ts'

const { newSignedInUser, newDevice, product } = setStage()

/** Lines that the text takes in the element; null if a part of it is outside the window. */
const linesOf = (element: Locator, text: string): Promise<number | null> =>
  element.evaluate((node, part) => {
    const { left, right } = node.getBoundingClientRect()
    const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT)
    for (let found = texts.nextNode(); found; found = texts.nextNode()) {
      const at = found.textContent?.indexOf(part) ?? -1
      if (at < 0 || left < 0 || right > innerWidth) continue
      const range = document.createRange()
      range.setStart(found, at)
      range.setEnd(found, at + part.length)
      return new Set([...range.getClientRects()].map(({ y }) => Math.round(y))).size
    }
    return null
  }, text)

test.each(['W'.repeat(32), '<script>alert(1)</script>', '👩🏽\u200D👩\u200D👧', 'محمد عبد الله'])(
  'the name %j takes one line in the greeting and in the user menu',
  async (name) => {
    const desk = await newSignedInUser(`${name.length}-${name.codePointAt(0)}@example.test`)
    const { url } = product()
    const answer = await desk.page.request.post(`${url}/api/auth/update-user`, { data: { name }, headers: { origin: url } })
    expect(answer.ok()).toBe(true)
    for (const [device, user] of [
      ['desk', desk],
      ['phone', await newDevice(desk, { phone: true })],
    ] as const) {
      const { page } = user
      await user.open()
      await expect.poll(() => linesOf(page.getByRole('heading', { level: 1 }), name.split(' ')[0] ?? '')).toBe(1)
      if (device === 'phone') await page.getByRole('button', { name: 'Open sidebar' }).click()
      const menu = page.getByRole('button', { name: /credits left/ })
      await expect.poll(() => linesOf(menu, name)).toBe(1)
      expect(await menu.locator('[aria-hidden]').first().innerText()).toBe(initialOf(name))
      await show(user, `name-${name.length}-${device}`)
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0)
    }
  },
)
