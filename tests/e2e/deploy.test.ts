/** A deploy that open pages are too old for. They update by themselves, and what a person could not send is still theirs. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { type Product, startProduct } from '../support/product.ts'
import { openSyncObjects } from '../support/record-file.ts'
import { visit } from './person.ts'

let product: Product
let browser: Browser

beforeAll(async () => {
  product = await startProduct()
  browser = await launchBrowser()
}, 120_000)

afterAll(async () => {
  await browser?.close()
  await product?.stop()
})

/** While the product is down: every page that was ever here was built for a column that the new schema no longer has. */
function dropAColumnFromTheSchema() {
  for (const object of openSyncObjects(product.stateDir)) {
    for (const row of object.prepare('select id, clientSchema from sync_group where clientSchema is not null').all()) {
      const schema = JSON.parse(String(row.clientSchema)) as { tables: { thread: { columns: { [name: string]: { type: string } } } } }
      schema.tables.thread.columns.colour = { type: 'string' }
      object.prepare('update sync_group set clientSchema = ? where id = ?').run(JSON.stringify(schema), String(row.id))
    }
    object.close()
  }
}

test('a new schema reloads an open page, and a message that was on its way is in the composer again', async () => {
  const person = await visit(browser, { url: product.url })
  await person.open()
  await person.send('Is anybody there')
  await person.untilAnswered()
  await product.kill9()
  await person.send('Written while the server was being replaced')
  await person.conversation.getByText('Written while the server was being replaced').waitFor()
  dropAColumnFromTheSchema()
  // Gone with the page that set it.
  await person.page.evaluate(() => Object.assign(window, { isOldPage: true }))
  await product.restart()

  await person.page.waitForFunction(() => !('isOldPage' in window))
  await expect.poll(() => person.composer.inputValue(), { timeout: 20_000 }).toBe('Written while the server was being replaced')
  await person.page.getByRole('button', { name: 'Send message' }).click()
  await expect.poll(() => person.answers(), { timeout: 20_000 }).toBe(2)
  await person.untilAnswered()
  await expect.poll(() => person.composer.inputValue()).toBe('')
  await person.leave()
})
