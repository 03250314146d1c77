/** Deploys that make open pages outdated. The pages reload, and unsent text is preserved. */
import { expect, test } from 'vitest'
import { openSyncObjects } from '../support/record-file.ts'
import { setStage } from './stage.ts'

const { openComposer, product } = setStage({ ignoredErrors: /column thread.colour is unknown/ })

/** While the product is down: makes every open page depend on a column that the new schema does not have. */
function dropAColumnFromTheSchema() {
  for (const object of openSyncObjects(product().stateDir)) {
    for (const row of object.prepare('select id, clientSchema from sync_group where clientSchema is not null').all()) {
      const schema = JSON.parse(String(row.clientSchema)) as { tables: { thread: { columns: { [name: string]: { type: string } } } } }
      schema.tables.thread.columns.colour = { type: 'string' }
      object.prepare('update sync_group set clientSchema = ? where id = ?').run(JSON.stringify(schema), String(row.id))
    }
    object.close()
  }
}

const late = '/demo chunks=3 delay=0 written while the server was being replaced'

test('a new schema reloads an open page, and an unsent message returns to the composer', async () => {
  const user = await openComposer()
  await user.send('/demo chunks=3 delay=0')
  await user.untilAnswered()
  await product().kill9()
  await user.send(late)
  await user.conversation.getByText(late).waitFor()
  dropAColumnFromTheSchema()
  // Lost with the page that sets it.
  await user.page.evaluate(() => Object.assign(window, { isOldPage: true }))
  await product().restart()

  await user.page.waitForFunction(() => !('isOldPage' in window))
  await expect.poll(() => user.composer.inputValue()).toBe(late)
  await user.page.getByRole('button', { name: 'Send message' }).click()
  await expect.poll(() => user.answers()).toBe(2)
  await user.untilAnswered()
  await expect.poll(() => user.composer.inputValue()).toBe('')
})
