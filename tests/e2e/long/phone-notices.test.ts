/** Notices on a phone: a toast over the open sidebar, and the line without a connection. */
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { setStage, show } from '../stage.ts'

const { openComposer } = setStage({ visits: { phone: true } })

const boxOf = async (element: Locator) => {
  const box = await element.boundingBox()
  if (!box) throw new Error('not on the page')
  return { ...box, bottom: box.y + box.height }
}

test('a toast above the open sidebar is above its footer', async () => {
  const guest = await openComposer()
  const { page } = guest
  for (const text of ['first', 'second']) {
    await guest.send(`/demo chunks=2 delay=0 ${text}`)
    await guest.untilAnswered()
    await page.getByRole('button', { name: 'New thread', exact: true }).tap()
  }
  await page.getByRole('button', { name: 'Open sidebar' }).tap()
  const sidebar = page.getByRole('dialog', { name: 'Sidebar' })
  await sidebar
    .getByRole('button', { name: /^More for/ })
    .first()
    .tap()
  await page.getByRole('menuitem', { name: 'Delete' }).tap()
  // After its entry animation.
  const toast = page.locator('[data-sonner-toast][data-mounted="true"]').first()
  await toast.waitFor()
  await show(guest, 'toast-over-sidebar')
  const footer = await boxOf(sidebar.locator('footer'))
  await expect.poll(async () => Math.round(footer.y - (await boxOf(toast)).bottom)).toBe(16)
})

test.each(['/projects', '/bookmarks', '/archive', '/account', '/account/models'])(
  'without a connection, the notice does not cover the title of %s',
  async (path) => {
    const guest = await openComposer()
    const { page, context } = guest
    guest.ignoreErrors(/ERR_INTERNET_DISCONNECTED|WebSocket|Failed to connect/)
    await page.goto(path)
    const title = page.getByRole('main').getByRole('heading').first()
    await title.waitFor()
    await context.setOffline(true)
    const notice = page
      .getByRole('main')
      .getByRole('status')
      .getByText(/^Offline/)
    await notice.waitFor()
    await show(guest, `offline${path.replaceAll('/', '-')}`)
    const first = page.locator('[data-page-scroller] > div > *').first()
    const { bottom } = await boxOf(notice)
    for (const below of [title, first]) expect((await boxOf(below)).y).toBeGreaterThanOrEqual(bottom)
  },
)
