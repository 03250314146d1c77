/** W4 and W5: threads in Chromium, against the built product. The shared machine makes these figures upper bounds. */
import type { Browser, CDPSession, Page } from 'playwright-core'
import type { Benchmark } from '../../../scripts/lib/benchmark.ts'
import { launchBrowser } from '../../support/browser.ts'
import type { Guest } from '../../support/guest.ts'
import { threadIdOf, withHistories } from '../history.ts'
import { median, percentile } from '../sample.ts'
import { variedAnswers } from './texts.ts'

const otherThreads = 50
const scrollMs = 10_000
const typedKeys = 200

declare global {
  interface Window {
    longTasksMs: number[]
    keysMs: number[]
  }
}

/** Records tasks above 50 ms, and the time from each key to the end of the work that it causes, with the layout. */
function observe(): void {
  window.longTasksMs = []
  window.keysMs = []
  new PerformanceObserver((list) => window.longTasksMs.push(...list.getEntries().map(({ duration }) => duration))).observe({
    type: 'longtask',
  })
  addEventListener(
    'keydown',
    ({ timeStamp }) => {
      // The task behind the key's: React has rendered by then.
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => {
        document.body.getBoundingClientRect()
        window.keysMs.push(performance.now() - timeStamp)
      }
      port2.postMessage(null)
    },
    { capture: true },
  )
}

async function openPage(browser: Browser, url: string, guest: Guest): Promise<Page> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1440, height: 900 }, serviceWorkers: 'block' })
  await context.addCookies(
    guest.cookie.split('; ').map((pair) => ({ name: pair.slice(0, pair.indexOf('=')), value: pair.slice(pair.indexOf('=') + 1), url })),
  )
  const page = await context.newPage()
  await page.addInitScript(observe)
  return page
}

const lastTurn = '[role=log] [data-turn]:last-child'

/** From the click on a thread in the sidebar until its last turn is painted. */
const openThread = (page: Page, threadId: string): Promise<number> =>
  page.evaluate(
    async ({ threadId, lastTurn }) => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
      const link = document.querySelector<HTMLAnchorElement>(`a[href="/${threadId}"]`)
      if (!link) throw new Error(`no link to ${threadId}`)
      const before = document.querySelector(lastTurn)?.getAttribute('data-turn')
      const startMs = performance.now()
      link.click()
      for (;;) {
        await frame()
        const turn = document.querySelector(lastTurn)?.getAttribute('data-turn')
        if (turn && turn !== before) break
      }
      return performance.now() - startMs
    },
    { threadId, lastTurn },
  )

/** Scrolls up through the loaded windows. Returns the tasks above 50 ms. */
async function scrollUp(page: Page): Promise<readonly number[]> {
  await page.mouse.move(900, 400)
  await page.evaluate(() => {
    window.longTasksMs = []
  })
  const endMs = performance.now() + scrollMs
  while (performance.now() < endMs) {
    await page.mouse.wheel(0, -400)
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)))
  }
  return page.evaluate(() => window.longTasksMs)
}

async function typeWhileStreaming(page: Page): Promise<readonly number[]> {
  const composer = page.getByRole('textbox', { name: 'Message', exact: true })
  await composer.fill('/demo chunks=4000 delay=10')
  await page.getByRole('button', { name: 'Send message' }).click()
  await page.getByRole('button', { name: 'Stop generating' }).waitFor()
  await composer.focus()
  await page.evaluate(() => {
    window.keysMs = []
  })
  for (let key = 0; key < typedKeys; key += 1) await page.keyboard.press('x', { delay: 5 })
  return page.evaluate(() => window.keysMs)
}

async function heapMb(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize / 1_000_000
}

const withPage = async <Result>(run: (page: Page, guest: Guest) => Promise<Result>): Promise<Result> => {
  const history = { threads: otherThreads + 1, messages: otherThreads * 20 + 2000, newest: 2000, answers: variedAnswers }
  return withHistories([history], async ({ url }, [guest]) => {
    if (!guest) throw new Error('expected a guest')
    const browser = await launchBrowser()
    try {
      return await run(await openPage(browser, url, guest), guest)
    } finally {
      await browser.close()
    }
  })
}

const openHome = async (page: Page) => {
  await page.goto('/')
  // The list loads more threads when its end is near.
  await page.waitForFunction(
    (count) => {
      const links = document.querySelectorAll('nav a[href^="/thread-"]')
      links.item(links.length - 1)?.scrollIntoView()
      return links.length >= count
    },
    otherThreads + 1,
    { polling: 100 },
  )
  await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor()
}

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'W4',
    name: 'a click on a thread of 20 messages until it is painted',
    unit: 'ms',
    run: () =>
      withPage(async (page, guest) => {
        await openHome(page)
        const session = await page.context().newCDPSession(page)
        const ids = Array.from({ length: otherThreads }, (_, index) => threadIdOf(guest, otherThreads - 1 - index))
        const first: number[] = []
        for (const id of ids.slice(0, 10)) first.push(await openThread(page, id))
        const heapOfTenMb = await heapMb(session)
        for (const id of ids.slice(10)) first.push(await openThread(page, id))
        const heapOfAllMb = await heapMb(session)
        const again: number[] = []
        for (const id of ids.slice(0, 20)) again.push(await openThread(page, id))
        return [
          { at: 'first time, p50', value: median(first), floor: null, mustHold: { most: 120 } },
          { at: 'again, p50', value: median(again), floor: null, mustHold: { most: 16 } },
          { at: 'again, p99', value: percentile(again, 0.99), floor: null, mustHold: { most: 50 } },
          {
            at: `heap, ${otherThreads} threads beside 10`,
            value: heapOfAllMb,
            floor: heapOfTenMb,
            unit: 'MB',
            mustHold: { timesFloor: 1.5 },
          },
        ]
      }),
  },
  {
    id: 'W5',
    name: 'a thread of 2,000 messages with images, tables and code',
    unit: 'ms',
    run: () =>
      withPage(async (page, guest) => {
        await openHome(page)
        const openMs = await openThread(page, threadIdOf(guest, otherThreads))
        const tasksMs = await scrollUp(page)
        const elements = await page.evaluate(() => document.querySelectorAll('*').length)
        const keysMs = await typeWhileStreaming(page)
        return [
          { at: 'open', value: openMs, floor: null, mustHold: { most: 300 } },
          { at: 'longest task of a scroll of 10 s', value: Math.max(0, ...tasksMs), floor: null, mustHold: { most: 50 } },
          { at: 'tasks above 50 ms', value: tasksMs.length, floor: null, unit: '', mustHold: { most: 0 } },
          { at: 'elements after it', value: elements, floor: null, unit: '', moonshot: { most: 2500 } },
          { at: 'a key while an answer streams, p95', value: percentile(keysMs, 0.95), floor: null, mustHold: { most: 16 } },
        ]
      }),
  },
]
