// The memory: switched on in the settings, filled by typed messages, shown with the answers that used it, and taken back. The demo model finds a fact
// in each sentence that begins with "I" or "My". Rules: worker/turns/SPEC.md, B1 to B6.
import { expect, test } from 'vitest'
import { inMode, pathOf, setStage, show } from './stage.ts'
import { type UserPage, untilReplaced } from './user-page.ts'

const { openComposer, newDevice } = setStage()

/** With keys, as a user does. */
async function typeMessage(desk: UserPage, text: string): Promise<void> {
  // Text that is typed into the first paint is not read.
  await untilReplaced(desk.page)
  await desk.composer.click()
  for (const [index, line] of ['/demo chunks=2 delay=0', text].entries()) {
    if (index > 0) await desk.page.keyboard.press('Shift+Enter')
    await desk.page.keyboard.type(line)
  }
  await desk.page.keyboard.press('Enter')
  await desk.untilAnswered()
}

const item = (desk: UserPage, text: string) => desk.page.getByRole('main').getByRole('listitem').filter({ hasText: text })

async function openMemory({ page }: UserPage): Promise<void> {
  await page.goto('/account/memory')
  await page.getByRole('switch').waitFor()
}

async function switchOn(desk: UserPage): Promise<void> {
  await openMemory(desk)
  await desk.page.getByText('Memory is off.').waitFor()
  await show(desk, 'memory-off')
  await desk.page.getByRole('switch', { name: 'Remember facts about me' }).click()
  await desk.page.getByText('No memories yet.').waitFor()
  await show(desk, 'memory-empty')
  await desk.page.goto('/')
  await desk.composer.waitFor()
}

test('a typed message becomes a fact, a later answer lists it, and its message opens from there', async () => {
  const desk = await openComposer()
  const { page } = desk
  await switchOn(desk)
  await typeMessage(desk, 'I have a dog called Rex.')
  const source = pathOf(desk)
  await openMemory(desk)
  await item(desk, 'I have a dog called Rex.').waitFor()
  await page.goto('/')
  await typeMessage(desk, 'What does my dog eat?')
  await page.getByRole('button', { name: 'Used 1 memory' }).waitFor()
  await show(desk, 'memory-receipt-answer')
  await page.getByRole('button', { name: 'Used 1 memory' }).click()
  const dialog = page.getByRole('dialog', { name: 'Used memories' })
  await dialog.getByText('I have a dog called Rex.').waitFor()
  await show(desk, 'memory-receipt')
  await dialog.getByRole('button', { name: /^Edit:/ }).click()
  await page.getByRole('dialog', { name: 'Edit memory' }).getByRole('textbox', { name: 'Text' }).fill('Has a cat.')
  await show(desk, 'memory-edit')
  await page.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Has a cat.', { exact: true }).waitFor()
  await dialog.getByText('The answer was given: I have a dog called Rex.').waitFor()
  await show(desk, 'memory-receipt-edited')
  await dialog.getByRole('link', { name: 'From your message' }).click()
  await expect.poll(() => pathOf(desk)).toBe(source)
  await desk.conversation.getByText('I have a dog called Rex.').waitFor()
})

test('a pasted text is no fact; a deleted thread takes its facts along, and undo brings them back', async () => {
  const desk = await openComposer()
  const { page } = desk
  await switchOn(desk)
  await untilReplaced(page)
  await desk.composer.click()
  await page.keyboard.type('I am a king.')
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Control+x')
  await page.keyboard.press('Control+v')
  await expect.poll(() => desk.composer.inputValue()).toBe('I am a king.')
  await page.keyboard.press('Enter')
  await desk.untilAnswered()
  await page.goto('/')
  await typeMessage(desk, 'I like green tea.')
  await openMemory(desk)
  await item(desk, 'green tea').waitFor()
  expect(await item(desk, 'king').count()).toBe(0)
  await desk.threads.getByRole('listitem').first().hover()
  await desk.threads
    .getByRole('button', { name: /^More for/ })
    .first()
    .click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByText('No memories yet.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await item(desk, 'green tea').waitFor()
})

test('facts are pinned, barred, deleted and restored by keyboard, on a phone in German too', async () => {
  const desk = await openComposer()
  const { page } = desk
  await switchOn(desk)
  await typeMessage(desk, 'My name is Ada. I live in Berlin. I like green tea.')
  await openMemory(desk)
  await item(desk, 'My name is Ada.').waitFor()
  await page.getByRole('button', { name: 'Pin: I live in Berlin.' }).press('Enter')
  await expect.poll(() => page.getByRole('main').getByRole('listitem').first().innerText()).toContain('I live in Berlin.')
  await page.getByRole('button', { name: 'Providers: My name is Ada.' }).press('Enter')
  await page
    .getByRole('menuitemcheckbox', { name: 'Mistral' })
    .or(page.getByRole('menuitemradio', { name: 'Mistral' }))
    .waitFor()
  await show(desk, 'memory-providers')
  await page.keyboard.type('Mistral')
  await page.keyboard.press('Enter')
  await page.getByText('Not for Mistral').waitFor()
  await show(desk, 'memory-list')
  await inMode(page, 'light')
  await show(desk, 'memory-list-light')
  const phone = await newDevice(desk, { phone: true, locale: 'de-DE' })
  await phone.page.goto('/account/memory')
  await phone.page.getByText('Nicht für Mistral').waitFor()
  await show(phone, 'memory-phone-german')
  await inMode(phone.page, 'light')
  await show(phone, 'memory-phone-german-light')
  await page.getByRole('button', { name: 'Delete: I like green tea.' }).press('Enter')
  await expect.poll(() => item(phone, 'green tea').count()).toBe(0)
  await page.getByRole('button', { name: 'Undo' }).press('Enter')
  await item(phone, 'green tea').waitFor()
})

test('a project may have memory off', async () => {
  const desk = await openComposer()
  const { page } = desk
  await switchOn(desk)
  await page.goto('/projects')
  await page.getByRole('button', { name: 'New project' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'New project' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Work')
  await dialog.getByRole('switch', { name: 'Use memory' }).click()
  await show(desk, 'memory-project')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.waitForURL(/project/)
  await typeMessage(desk, 'I like black tea.')
  await page.goto('/')
  await typeMessage(desk, 'I like green tea.')
  await openMemory(desk)
  await item(desk, 'green tea').waitFor()
  expect(await item(desk, 'black tea').count()).toBe(0)
})
