// The first visit of `/` transfers exactly the JavaScript that the build declares, compressed, and only the entry before the first paint.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { budgets } from '../../scripts/first-load.ts'
import { type Manifest, staticClosure } from '../../scripts/lib/budget.ts'
import { manifestFile } from '../../scripts/lib/paths.ts'
import { setStage } from './stage.ts'

const { newUser } = setStage({ visits: { prefetches: true } })

type Transfer = { readonly path: string; readonly bytes: number; readonly isBeforePaint: boolean }

test('a first visit transfers each declared script once, no others, within the budgets', async () => {
  const { page, open } = await newUser()
  await open()
  await page.waitForLoadState('networkidle')
  // An import reads from the HTTP cache what `web/lib/load-chunk.ts` has fetched: nothing is transferred then.
  const transferred = await page.evaluate((): Transfer[] => {
    const paintedAtMs = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0
    return (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .filter(({ name, transferSize }) => name.endsWith('.js') && transferSize > 0)
      .map(({ name, startTime, encodedBodySize }) => ({
        path: new URL(name).pathname.slice(1),
        bytes: encodedBodySize,
        isBeforePaint: startTime <= paintedAtMs,
      }))
  })

  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest
  const [beforePaint, untilReady] = budgets
  const measured = [
    { budget: beforePaint, scripts: transferred.filter(({ isBeforePaint }) => isBeforePaint) },
    { budget: untilReady, scripts: transferred },
  ]
  for (const { budget, scripts } of measured) {
    expect(scripts.map(({ path }) => path).sort(), budget.name).toEqual(staticClosure(manifest, budget.entries).sort())
    const bytes = scripts.reduce((sum, script) => sum + script.bytes, 0)
    // The local server compresses less thoroughly than the build's measure; uncompressed scripts would be three times as many bytes.
    expect(bytes, budget.name).toBeLessThan(budget.maxBytes * 1.15)
  }
})
