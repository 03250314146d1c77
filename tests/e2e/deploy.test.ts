/** A deploy that open pages are too old for. They update by themselves, and what a person could not send is still theirs. */
import { expect, test } from 'vitest'
import { openSyncObjects } from '../support/record-file.ts'
import { setStage } from './stage.ts'

const { arrive, product } = setStage({ forgiven: /column thread.colour is unknown/ })

/** While the product is down: every page that was ever here was built for a column that the new schema no longer has. */
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

test('a new schema reloads an open page, and a message that was on its way is in the composer again', async () => {
  const person = await arrive()
  await person.send('/demo chunks=3 delay=0')
  await person.untilAnswered()
  await product().kill9()
  await person.send(late)
  await person.conversation.getByText(late).waitFor()
  dropAColumnFromTheSchema()
  // Gone with the page that set it.
  await person.page.evaluate(() => Object.assign(window, { isOldPage: true }))
  await product().restart()

  await person.page.waitForFunction(() => !('isOldPage' in window))
  await expect.poll(() => person.composer.inputValue()).toBe(late)
  await person.page.getByRole('button', { name: 'Send message' }).click()
  await expect.poll(() => person.answers()).toBe(2)
  await person.untilAnswered()
  await expect.poll(() => person.composer.inputValue()).toBe('')
})
