/** A selection in the sidebar by pointer. */
import { expect, test } from 'vitest'
import { act, boxOf, linkOf, selected, twoDevices, undo } from '../selecting.ts'
import { setStage } from '../stage.ts'
import type { UserPage } from '../user-page.ts'

const stage = setStage()

async function createProject({ page }: UserPage, name: string): Promise<void> {
  await page.goto('/projects')
  await page.getByRole('button', { name: 'New project', exact: true }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name }).waitFor()
}

test('selects by Control and Shift, and moves to a project and back to where each thread was', async () => {
  const [one, two] = await twoDevices(stage, 6)
  await createProject(one, 'Tea shop')
  const inProject = two.page.getByRole('main').getByRole('listitem')
  await two.page.getByRole('link', { name: 'Projects' }).click()
  await two.page.getByRole('main').getByRole('link', { name: 'Tea shop' }).click()

  await linkOf(one, 2).click({ modifiers: ['Control'] })
  await act(one, 'Move to project…')
  await one.page.getByRole('dialog').getByRole('button', { name: 'Tea shop' }).click()
  await expect.poll(() => inProject.allInnerTexts()).toHaveLength(1)

  await linkOf(one, 1).click()
  // From the open thread to the pressed one.
  await linkOf(one, 3).click({ modifiers: ['Shift'] })
  await expect.poll(() => selected(one)).toEqual(['Thread 1', 'Thread 2', 'Thread 3'])
  await boxOf(one, 5).click({ modifiers: ['Control'] })
  await boxOf(one, 1).click()
  await boxOf(one, 1).click({ modifiers: ['Shift'] })
  await boxOf(one, 2).click()
  await expect.poll(() => selected(one)).toEqual(['Thread 1', 'Thread 3', 'Thread 5'])
  await boxOf(one, 2).click()
  await act(one, 'Move to project…')
  await one.page.getByRole('dialog').getByRole('button', { name: 'Tea shop' }).click()
  await expect.poll(() => inProject.count()).toBe(4)
  await undo(one, '4 threads moved to Tea shop')
  await expect.poll(() => inProject.count()).toBe(1)
  expect(await inProject.innerText()).toContain('Thread 2')
})
