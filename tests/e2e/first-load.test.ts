// What the build promises about the first visit of `/` is what a browser does: it fetches the declared JavaScript, and compressed.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { firstLoadBudgetBytes, firstLoadEntries } from '../../scripts/first-load.ts'
import { type Manifest, staticClosure } from '../../scripts/lib/budget.ts'
import { manifestFile } from '../../scripts/lib/paths.ts'
import { setStage } from './stage.ts'

const { meet } = setStage()

test('a first visit fetches the declared scripts, no others, within the budget', async () => {
  const { page, open } = await meet()
  const fetched: { path: string; bytes: Promise<number> }[] = []
  page.on('requestfinished', (request) => {
    const { pathname } = new URL(request.url())
    if (!pathname.endsWith('.js')) return
    fetched.push({ path: pathname.slice(1), bytes: request.sizes().then((sizes) => sizes.responseBodySize) })
  })
  await open()
  await page.waitForLoadState('networkidle')

  const declared = staticClosure(JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest, firstLoadEntries)
  expect(fetched.map(({ path }) => path).sort()).toEqual([...declared].sort())
  const bytes = (await Promise.all(fetched.map((script) => script.bytes))).reduce((sum, size) => sum + size, 0)
  // The local server compresses less thoroughly than the build's measure; uncompressed scripts would be three times as many bytes.
  expect(bytes).toBeLessThan(firstLoadBudgetBytes * 1.15)
})
