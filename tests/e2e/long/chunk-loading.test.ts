/** Files of the page that load after the first screen, with a network outage or after a deploy that removed them. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { setStage } from '../stage.ts'

const { newUser } = setStage({ visits: { prefetches: true } })

test('a network drop while files are prefetched keeps the page, and a message sent afterwards is answered', async () => {
  const user = await newUser()
  user.ignoreErrors(/ERR_INTERNET_DISCONNECTED|WebSocket connection/)
  await user.open()
  const prefetch = user.page.waitForEvent('requestfailed', (request) => request.url().includes('/assets/thread-view-'))
  await user.context.setOffline(true)
  // The first gesture starts the prefetch.
  await user.composer.fill('/demo chunks=3 delay=0')
  await prefetch
  await user.context.setOffline(false)
  await user.page.getByRole('button', { name: 'Send message' }).click()
  await user.untilAnswered()
  await expect.poll(() => user.answer()).toContain('word3')
  await user.page.keyboard.press('Control+k')
  await user.page.getByRole('dialog', { name: 'Find anything' }).waitFor()
})

/** Resolves when the page has received its first rows. */
const firstPoke = (page: Page): Promise<void> =>
  new Promise((resolve) => {
    page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => String(payload).startsWith('["pokeEnd"') && resolve()))
  })

test('a first message sent offline shows that it waits for the connection, and is answered when the network returns', async () => {
  const user = await newUser()
  user.ignoreErrors(/ERR_INTERNET_DISCONNECTED|WebSocket connection/)
  const synced = firstPoke(user.page)
  await user.open()
  // The guest is signed in and the user's rows are here; without a connection, the page cannot show a thread yet.
  await synced
  await user.page.waitForLoadState('networkidle')
  await user.context.setOffline(true)
  await user.composer.fill('/demo chunks=3 delay=0')
  await user.page.getByRole('button', { name: 'Send message' }).click()
  await user.page.getByRole('status').getByText('Waiting for the connection').waitFor()
  await user.context.setOffline(false)
  await user.untilAnswered()
  await expect.poll(() => user.answer()).toContain('word3')
})

test('a file that a deploy removed reloads the page once and keeps the draft', async () => {
  const user = await newUser()
  const { page, composer } = user
  user.ignoreErrors(/status of 404|OutdatedPageError|Reload the page/)
  const palette = '**/assets/command-palette-*.js'
  await page.route(palette, (route) => route.fulfill({ status: 404, body: 'Not found' }))
  let loads = 0
  page.on('load', () => loads++)
  await user.open()
  // The prefetch also fails, which does not reload the page.
  const prefetch = page.waitForResponse(palette)
  await composer.fill('half a thought')
  await prefetch
  await page.waitForLoadState('networkidle')
  expect(loads).toBe(1)

  await page.keyboard.press('Control+k')
  await expect.poll(() => loads).toBe(2)
  await expect.poll(() => composer.inputValue()).toBe('half a thought')

  // The file is still missing. The page does not reload again within a minute.
  await page.keyboard.press('Control+k')
  await page.getByRole('heading', { name: 'Parley has been updated' }).waitFor()
  expect(loads).toBe(2)
  await page.unroute(palette)
  await page.getByRole('button', { name: 'Reload' }).click()
  await expect.poll(() => composer.inputValue()).toBe('half a thought')
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Find anything' }).waitFor()
})

test('an overlay that cannot load is cancelled by Escape and does not open after the network is back', async () => {
  const user = await newUser()
  const { page, composer, context } = user
  user.ignoreErrors(/ERR_INTERNET_DISCONNECTED|WebSocket connection/)
  await user.open()
  await context.setOffline(true)
  await page.keyboard.press('Control+k')
  await page.keyboard.press('Escape')
  await composer.click()
  await context.setOffline(false)
  const palette = page.waitForResponse('**/assets/command-palette-*.js')
  await composer.pressSequentially('this is the message')
  await palette
  await expect.poll(() => composer.inputValue()).toBe('this is the message')
  expect(await page.getByRole('dialog').count()).toBe(0)
})
