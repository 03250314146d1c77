/** W4 and W5: threads in Chromium, against the built product. */
import type { CDPSession, Page } from 'playwright-core'
import type { Benchmark } from '../../../scripts/lib/benchmark.ts'
import { type History, threadIdOf } from '../history.ts'
import { median, percentile } from '../sample.ts'
import { scrollAt, scrollPoints, threadLinks, withPages } from './browser-page.ts'
import { growingAnswer, variedAnswers } from './texts.ts'

const otherThreads = 50
const typedKeys = 200
/** A guest stores at most 2,000 rows. */
const answeredHistory = { threads: 1, messages: 1900, newest: 1900, answers: variedAnswers }

/** All kinds of blocks. At 100 words a second it lasts longer than the typing. */
const streamedAnswer = growingAnswer(20_000).before

const lastTurn = '[role=log] [data-message]:last-child'

/** From the click on a thread in the sidebar until the frame with its last turn is painted. */
const openThread = (page: Page, threadId: string): Promise<number> =>
  page.evaluate(
    async ({ threadId, lastTurn }) => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
      const link = document.querySelector<HTMLAnchorElement>(`a[href="/${threadId}"]`)
      if (!link) throw new Error(`no link to ${threadId}`)
      const before = document.querySelector(lastTurn)?.getAttribute('data-message')
      const startMs = performance.now()
      link.click()
      for (;;) {
        await frame()
        const turn = document.querySelector(lastTurn)?.getAttribute('data-message')
        if (turn && turn !== before) break
      }
      // This message arrives after the layout and the paint of the frame.
      await new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = resolve
        port2.postMessage(null)
      })
      return performance.now() - startMs
    },
    { threadId, lastTurn },
  )

async function typedKeysMs(page: Page): Promise<readonly number[]> {
  await page.evaluate(() => {
    window.keysMs = []
  })
  for (let key = 0; key < typedKeys; key += 1) await page.keyboard.press('x', { delay: 5 })
  return page.evaluate(() => window.keysMs)
}

async function typeWhileStreaming(page: Page, threadId: string): Promise<readonly number[]> {
  await page.goto(`/${threadId}`)
  await page.locator(lastTurn).waitFor()
  const composer = page.getByRole('textbox', { name: 'Message', exact: true })
  await composer.fill(`/demo delay=10 say=${streamedAnswer}`)
  await page.getByRole('button', { name: 'Send message' }).click()
  await page.getByRole('button', { name: 'Stop generating' }).waitFor()
  await composer.focus()
  return typedKeysMs(page)
}

/** In a page with one text field. The answer still streams in the other page, so the machine has the same load. */
async function typeInEmptyPage(page: Page): Promise<readonly number[]> {
  await page.goto('data:text/html,<textarea></textarea>')
  await page.locator('textarea').focus()
  return typedKeysMs(page)
}

async function heapMb(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize / 1_000_000
}

/** `newest`: messages of the newest thread. The others have 20. */
const historyOf = (newest: number): History => ({
  threads: otherThreads + 1,
  messages: otherThreads * 20 + newest,
  newest,
  answers: variedAnswers,
})

async function openHome(page: Page): Promise<void> {
  await page.goto('/')
  // The list loads more threads when its end is near.
  await page.waitForFunction(
    ({ threadLinks, count }) => {
      const links = document.querySelectorAll(threadLinks)
      links.item(links.length - 1)?.scrollIntoView()
      return links.length >= count
    },
    { threadLinks, count: otherThreads + 1 },
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
      withPages([historyOf(20)], async (open, [guest]) => {
        const page = await open(guest)
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
      withPages([historyOf(2000), answeredHistory], async (open, [guest, answered]) => {
        const page = await open(guest)
        await openHome(page)
        const openMs = await openThread(page, threadIdOf(guest, otherThreads))
        const tasksMs = await scrollAt(page, 900, 400, -400)
        const elements = await page.evaluate(() => document.querySelectorAll('*').length)
        const keysMs = await typeWhileStreaming(await open(answered), threadIdOf(answered, 0))
        const emptyPageKeysMs = await typeInEmptyPage(await open(answered))
        return [
          { at: 'open', value: openMs, floor: null, mustHold: { most: 300 } },
          ...scrollPoints(tasksMs),
          { at: 'elements after it', value: elements, floor: null, unit: '', moonshot: { most: 2500 } },
          {
            at: `a key while an answer streams below ${answeredHistory.messages} messages, p95`,
            value: percentile(keysMs, 0.95),
            floor: percentile(emptyPageKeysMs, 0.95),
            mustHold: { most: 16 },
          },
        ]
      }),
  },
]
