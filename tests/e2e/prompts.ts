/** Prompts in the settings. */
import type { UserPage } from './user-page.ts'

export async function createPrompt({ page }: UserPage, name: string, text: string): Promise<void> {
  await page.goto('/account/prompts')
  await page.getByRole('button', { name: 'New prompt' }).click()
  const dialog = page.getByRole('dialog', { name: 'New prompt' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name)
  await dialog.getByRole('textbox', { name: 'Text' }).fill(text)
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('listitem').filter({ hasText: name }).waitFor()
}
