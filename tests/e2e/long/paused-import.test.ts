/** An import that exceeds the storage. */
import { test } from 'vitest'
import { manyConversations } from '../../support/import-files.ts'
import { importFile, json, section, status } from '../importing.ts'
import { setStage } from '../stage.ts'

const { openComposer } = setStage()

test('a full storage pauses the import; after a reload the same file continues', async () => {
  const { page } = await openComposer()
  await page.goto('/account')
  // More rows than a guest may store.
  const file = json('conversations.json', manyConversations(220, 5))
  await importFile(page, file)
  await status(page).filter({ hasText: 'The import is paused. Your storage for messages is full.' }).waitFor()
  await page.reload()
  await importFile(page, file)
  await status(page).filter({ hasText: 'The import is paused.' }).waitFor()
  await section(page)
    .getByText(/No new threads · \d+ threads already exist/)
    .waitFor()
  await section(page).getByRole('button', { name: 'Cancel import' }).press('Enter')
  await status(page).filter({ hasText: 'Import canceled.' }).waitFor()
})
