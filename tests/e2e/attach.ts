/** Steps of the tests that attach files. */
import { pngOf } from '../support/sample-files.ts'
import type { UserPage } from './user-page.ts'

export const picture = (name: string, colour: readonly [number, number, number] = [200, 80, 60]) => ({
  name,
  mimeType: 'image/png',
  buffer: Buffer.from(pngOf(360, 240, colour)),
})

export const attachments = ({ page }: UserPage) => page.getByRole('list', { name: 'Attachments' })
export const choose = ({ page }: UserPage, files: Parameters<ReturnType<UserPage['page']['getByLabel']>['setInputFiles']>[0]) =>
  page.getByLabel('Files', { exact: true }).setInputFiles(files)

export const chooseModel = async (user: UserPage, name: string) => {
  const { page } = user
  await page.getByRole('button', { name: 'Model', exact: true }).click()
  await pickModel(user, name)
}

/** In the open list. */
export const pickModel = async ({ page }: UserPage, name: string) => {
  await page.getByRole('combobox', { name: 'Find model' }).fill(name)
  await page
    .getByRole('option')
    .filter({ has: page.getByText(name, { exact: true }) })
    .click()
  await page.getByRole('button', { name: 'Model', exact: true, description: name }).waitFor()
}
