/** How long a hidden page stays connected, with the clock of the page stopped. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { setStage } from './stage.ts'

const { newUser } = setStage()

/** Counts sockets that the server has accepted, and pings without an answer. While a socket connects, the clock must not run to its timeout. */
const watchSockets = (page: Page) =>
  page.addInitScript(() => {
    const watched = { open: 0, unanswered: 0 }
    class WatchedSocket extends WebSocket {
      constructor(url: string | URL, protocols?: string | string[]) {
        super(url, protocols)
        let isCounted = false
        this.addEventListener('close', () => {
          if (isCounted) watched.open -= 1
        })
        this.addEventListener('message', ({ data }) => {
          const text = String(data)
          if (text.startsWith('["pong"')) watched.unanswered = 0
          if (!text.startsWith('["connected"')) return
          isCounted = true
          watched.open += 1
        })
      }
      override send(data: string) {
        if (data.startsWith('["ping"')) watched.unanswered += 1
        super.send(data)
      }
    }
    Object.assign(window, { WebSocket: WatchedSocket, watched })
  })

test('a hidden page stays connected for 30 minutes, and connects again when it is shown', async () => {
  const guest = await newUser()
  const { page } = guest
  await page.clock.install()
  await watchSockets(page)
  await guest.open()
  const watched = () => page.evaluate(() => (window as unknown as { watched: { open: number; unanswered: number } }).watched)
  await expect.poll(watched).toEqual({ open: 1, unanswered: 0 })
  const show = (state: 'visible' | 'hidden') =>
    page.evaluate((visibilityState) => {
      Object.defineProperty(document, 'visibilityState', { value: visibilityState, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, state)
  await show('hidden')
  // Shorter than the timeout of a ping, which the server answers in real time.
  const stepMs = 4000
  for (let passedMs = 0; passedMs < 30 * 60_000 - stepMs; passedMs += stepMs) {
    await expect.poll(watched, { interval: 1 }).toEqual({ open: 1, unanswered: 0 })
    await page.clock.fastForward(stepMs)
  }
  expect(await watched()).toMatchObject({ open: 1 })
  await page.clock.fastForward(stepMs)
  await expect.poll(watched).toMatchObject({ open: 0 })
  await show('visible')
  await expect.poll(watched).toMatchObject({ open: 1 })
})
