// The first visit of `/` transfers exactly the JavaScript that the build declares, compressed.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { firstLoadBudgetBytes, firstLoadEntries } from '../../scripts/first-load.ts'
import { type Manifest, staticClosure } from '../../scripts/lib/budget.ts'
import { manifestFile } from '../../scripts/lib/paths.ts'
import { setStage } from './stage.ts'

const { meet } = setStage()

test('a first visit transfers each declared script once, no others, within the budget', async () => {
  const { page, open } = await meet()
  await open()
  await page.waitForLoadState('networkidle')
  // An import reads from the HTTP cache what `web/lib/load-chunk.ts` has fetched: nothing is transferred then.
  const transferred = await page.evaluate(() =>
    (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .filter(({ name, transferSize }) => name.endsWith('.js') && transferSize > 0)
      .map(({ name, encodedBodySize }) => ({ path: new URL(name).pathname.slice(1), bytes: encodedBodySize })),
  )

  const declared = staticClosure(JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest, firstLoadEntries)
  expect(transferred.map(({ path }) => path).sort()).toEqual([...declared].sort())
  const bytes = transferred.reduce((sum, script) => sum + script.bytes, 0)
  // The local server compresses less thoroughly than the build's measure; uncompressed scripts would be three times as many bytes.
  expect(bytes).toBeLessThan(firstLoadBudgetBytes * 1.15)
})
