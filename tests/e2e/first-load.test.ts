// What the build promises about the first visit of `/` is what a browser does: it fetches the declared JavaScript, and compressed.
import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { firstLoadBudgetBytes, firstLoadEntries } from '../../scripts/first-load.ts'
import { type Manifest, staticClosure } from '../../scripts/lib/budget.ts'
import { manifestFile } from '../../scripts/lib/paths.ts'
import { launchBrowser } from '../support/browser.ts'
import { type Product, startProduct } from '../support/product.ts'

let product: Product
let browser: Browser

beforeAll(async () => {
  product = await startProduct()
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await product?.stop()
})

test('a first visit fetches the declared scripts, no others, within the budget', async () => {
  const page = await browser.newPage()
  const fetched: { path: string; bytes: Promise<number> }[] = []
  page.on('requestfinished', (request) => {
    const { pathname } = new URL(request.url())
    if (!pathname.endsWith('.js')) return
    fetched.push({ path: pathname.slice(1), bytes: request.sizes().then((sizes) => sizes.responseBodySize) })
  })
  await page.goto(product.url)
  await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor()
  await page.waitForLoadState('networkidle')

  const declared = staticClosure(JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest, firstLoadEntries)
  expect(fetched.map(({ path }) => path).sort()).toEqual([...declared].sort())
  const bytes = (await Promise.all(fetched.map((script) => script.bytes))).reduce((sum, size) => sum + size, 0)
  // The local server compresses less thoroughly than the build's measure; uncompressed scripts would be three times as many bytes.
  expect(bytes).toBeLessThan(firstLoadBudgetBytes * 1.15)
  await page.close()
})
