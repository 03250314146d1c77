/** Pages of the built product in Chromium, with the observations of the benchmarks. The shared machine makes the figures upper bounds. */
import type { Page } from 'playwright-core'
import { launchBrowser } from '../../support/browser.ts'
import type { Guest } from '../../support/guest.ts'
import { type History, withHistories } from '../history.ts'

declare global {
  interface Window {
    /** Tasks above 50 ms, in milliseconds. */
    longTasksMs: number[]
    /** From each key to the end of the work that it causes, with the layout. */
    keysMs: number[]
    /** From the start of the navigation to the frame with the first thread of the sidebar. */
    firstRowMs: number | undefined
  }
}

/** The links to threads in the sidebar. */
export const threadLinks = 'nav a[href^="/thread-"]'

/** Runs in the page. */
function observe(links: string): void {
  window.longTasksMs = []
  window.keysMs = []
  new PerformanceObserver((list) => window.longTasksMs.push(...list.getEntries().map(({ duration }) => duration))).observe({
    type: 'longtask',
  })
  let pressedMs = 0
  addEventListener(
    'keydown',
    ({ timeStamp }) => {
      pressedMs = timeStamp
    },
    { capture: true },
  )
  addEventListener(
    'input',
    () => {
      // In the next task React has rendered.
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => {
        document.body.getBoundingClientRect()
        window.keysMs.push(performance.now() - pressedMs)
      }
      port2.postMessage(null)
    },
    { capture: true },
  )
  const lookForRow = () => {
    if (document.querySelector(links)) window.firstRowMs = performance.now()
    else requestAnimationFrame(lookForRow)
  }
  lookForRow()
}

type Open = (guest: Guest) => Promise<Page>

type GuestOfEach<Histories> = { readonly [Index in keyof Histories]: Guest }

/** Starts the product with a guest for each history. `open` returns a page with an empty cache and without a service worker. */
export const withPages = <Result, const Histories extends readonly History[]>(
  histories: Histories,
  run: (open: Open, guests: GuestOfEach<Histories>) => Promise<Result>,
) =>
  withHistories(histories, async ({ url }, guests) => {
    const browser = await launchBrowser()
    const open: Open = async ({ cookie }) => {
      const context = await browser.newContext({ baseURL: url, viewport: { width: 1440, height: 900 }, serviceWorkers: 'block' })
      const pairs = cookie.split('; ').map((pair) => pair.split(/=(.*)/s))
      await context.addCookies(pairs.map(([name = '', value = '']) => ({ name, value, url })))
      const page = await context.newPage()
      await page.addInitScript(observe, threadLinks)
      return page
    }
    try {
      return await run(open, guests as unknown as GuestOfEach<Histories>)
    } finally {
      await browser.close()
    }
  })

const scrollMs = 10_000

/** Scrolls the element below the point by one wheel step each frame. Returns the tasks above 50 ms. */
export async function scrollAt(page: Page, x: number, y: number, stepPx: number): Promise<readonly number[]> {
  await page.mouse.move(x, y)
  await page.evaluate(() => {
    window.longTasksMs = []
  })
  const endMs = performance.now() + scrollMs
  while (performance.now() < endMs) {
    await page.mouse.wheel(0, stepPx)
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)))
  }
  return page.evaluate(() => window.longTasksMs)
}

/** The points of a scroll. */
export const scrollPoints = (tasksMs: readonly number[]) => [
  { at: 'longest task above 50 ms, scroll of 10 s', value: Math.max(0, ...tasksMs), floor: null, mustHold: { most: 50 } },
  { at: 'tasks above 50 ms', value: tasksMs.length, floor: null, unit: '', mustHold: { most: 0 } },
]
