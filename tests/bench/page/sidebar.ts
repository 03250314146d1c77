/** W6: the sidebar in Chromium, against the built product. The floor is a sidebar of 50 threads. */
import type { Page } from 'playwright-core'
import type { Benchmark } from '../../../scripts/lib/benchmark.ts'
import type { Guest } from '../../support/guest.ts'
import { median } from '../sample.ts'
import { scrollAt, scrollPoints, threadLinks, withPages } from './browser-page.ts'

const loads = 10
const threads = 10_000

async function firstRowMs(open: (guest: Guest) => Promise<Page>, guest: Guest): Promise<number> {
  const times: number[] = []
  for (let load = 0; load < loads; load += 1) {
    const page = await open(guest)
    await page.goto('/')
    times.push(await (await page.waitForFunction(() => window.firstRowMs)).jsonValue().then((value) => value ?? Number.NaN))
    await page.context().close()
  }
  return median(times)
}

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'W6',
    name: 'a sidebar of 10,000 threads',
    unit: 'ms',
    run: () =>
      withPages(
        [
          { threads: 50, messages: 100 },
          { threads, messages: 2 * threads },
        ],
        async (open, [small, large]) => {
          const floor = await firstRowMs(open, small)
          const value = await firstRowMs(open, large)
          const page = await open(large)
          await page.goto('/')
          await page.locator(threadLinks).nth(40).waitFor()
          const tasksMs = await scrollAt(page, 120, 500, 400)
          const rows = await page.locator(threadLinks).count()
          return [
            { at: 'first rows of a new page, p50', value, floor, mustHold: { timesFloor: 1.5 } },
            ...scrollPoints(tasksMs),
            { at: 'rows after it', value: rows, floor: null, unit: '' },
          ]
        },
      ),
  },
]
