/** Writing on several devices: prompts that `/` inserts, models for one message that `@` chooses, and drafts that follow the user. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openRecord } from '../support/record-file.ts'
import { serverAway } from '../support/server-away.ts'
import { expectRows, isFocused, pointedAt } from './keys.ts'
import { createPrompt } from './prompts.ts'
import { pathOf, setStage, show } from './stage.ts'

const { openComposer, newDevice, product } = setStage({ ignoredErrors: serverAway })

const field = (page: Page) => page.locator('[data-composer] textarea')
const list = (page: Page, name = 'Commands and prompts') => page.getByRole('listbox', { name })
const expectText = (page: Page, text: string) => expect.poll(() => field(page).inputValue()).toBe(text)
const selected = (page: Page) =>
  field(page).evaluate((node: HTMLTextAreaElement) => node.value.slice(node.selectionStart, node.selectionEnd))
const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key)
}

test('a prompt is created, used on another device by keyboard, changed, deleted and restored', async () => {
  const desk = await openComposer()
  await createPrompt(desk, 'Review', 'Review {{code}} as {{role}}. Name the worst line of {{code}}.')
  await createPrompt(desk, 'Translate', 'Translate to German.')
  await show(desk, 'prompts')
  const phone = await newDevice(desk)
  await phone.open()
  const { page } = phone
  await field(page).focus()
  await page.keyboard.type('Please /')
  await list(page).waitFor()
  await show(phone, 'prompt-list')
  await expect.poll(pointedAt(page)).toBe('Review')
  expect(await field(page).getAttribute('aria-controls')).toBe(await list(page).getAttribute('id'))
  // The list wraps around.
  const rows = [
    ['ArrowDown', 'Translate'],
    ['ArrowDown', 'Search'],
    ['ArrowDown', 'Research'],
    ['ArrowDown', 'Review'],
    ['ArrowUp', 'Research'],
  ] as const
  await expectRows(page, rows, pointedAt(page))
  await page.keyboard.type('rev')
  await expect.poll(pointedAt(page)).toBe('Review')
  await expect.poll(() => list(page).getByRole('option').count()).toBe(1)
  await press(page, 'Enter')
  await list(page).waitFor({ state: 'detached' })
  await expectText(page, 'Please Review {{code}} as {{role}}. Name the worst line of {{code}}.')
  expect(await field(page).getAttribute('aria-controls')).toBeNull()
  expect(await selected(page)).toBe('{{code}}')
  await page.keyboard.type('this')
  await show(phone, 'prompt-variables')
  await press(page, 'Tab')
  // Both occurrences are filled in.
  await expectText(page, 'Please Review this as {{role}}. Name the worst line of this.')
  expect(await selected(page)).toBe('{{role}}')
  // While a variable is left, Enter selects it instead of sending.
  await press(page, 'Enter')
  expect(await selected(page)).toBe('{{role}}')
  await page.keyboard.type('a tester')
  await expectText(page, 'Please Review this as a tester. Name the worst line of this.')
  expect(await isFocused(field(page))).toBe(true)
  await field(page).fill('')

  await desk.page.getByRole('button', { name: 'Edit Translate' }).click()
  await desk.page.getByRole('dialog').getByRole('textbox', { name: 'Text' }).fill('Translate to French.')
  await desk.page.getByRole('button', { name: 'Save' }).click()
  await page.keyboard.type('/tra')
  await list(page).getByText('Translate to French.').waitFor()
  await desk.page.getByRole('button', { name: 'Delete Translate' }).click()
  await list(page).waitFor({ state: 'detached' })
  await desk.page.getByRole('button', { name: 'Undo' }).click()
  await list(page).getByText('Translate to French.').waitFor()
  await list(page).getByRole('option').click()
  await expectText(page, 'Translate to French.')

  // Prompts of an earlier visit are there without a connection.
  await page.context().setOffline(true)
  await field(page).fill('')
  await page.keyboard.type('/')
  // With Search and Research.
  await expect.poll(() => list(page).getByRole('option').count()).toBe(4)
  await page.context().setOffline(false)
})

test('a path and an input method open no list; Escape closes it and stops no answer', async () => {
  const guest = await openComposer()
  const { page } = guest
  await field(page).focus()
  await page.keyboard.type('/')
  await list(page).getByText('Create a prompt').waitFor()
  await press(page, 'Escape')
  await list(page).waitFor({ state: 'detached' })
  // It stays closed for this word.
  await page.keyboard.type('usr')
  // No prompt has this name, so Enter sends.
  await field(page).fill('')
  await page.keyboard.type('/demo chunks=1200 delay=50')
  await press(page, 'Enter')
  await page.getByRole('button', { name: 'Stop generating' }).waitFor()
  await page.keyboard.type('@')
  await list(page, 'Models for this message').waitFor()
  await press(page, 'Escape')
  await list(page, 'Models for this message').waitFor({ state: 'detached' })
  expect(await page.getByRole('button', { name: 'Stop generating' }).count()).toBe(1)
  await press(page, 'Escape')
  await page.getByRole('button', { name: 'Stop generating' }).waitFor({ state: 'detached' })

  const session = await page.context().newCDPSession(page)
  await field(page).fill('')
  await session.send('Input.imeSetComposition', { text: '/', selectionStart: 1, selectionEnd: 1 })
  await expectText(page, '/')
  expect(await page.getByRole('listbox').count()).toBe(0)
})

test('@ chooses a model for one message; the picker shows it, also after a reload, and removes it', async () => {
  const guest = await openComposer()
  const { page } = guest
  const model = page.getByRole('button', { name: 'Model', exact: true })
  const nameOf = () => model.getAttribute('aria-description')
  await expect.poll(nameOf).toBeTruthy()
  const usual = await nameOf()
  const chip = page.getByRole('group', { name: 'Only this message' })
  await field(page).focus()
  await page.keyboard.type('/demo chunks=2 delay=0 @')
  await list(page, 'Models for this message').waitFor()
  await show(guest, 'model-list')
  const others = list(page, 'Models for this message')
    .getByRole('option')
    .filter({ hasNotText: usual ?? '' })
  const name = (await others.first().locator('span').first().textContent()) ?? ''
  await page.keyboard.type(name.split(' ').at(-1) ?? '')
  await others.filter({ hasText: name }).first().click()
  await page.getByRole('button', { name: 'Model', exact: true, description: name }).waitFor()
  await chip.waitFor()
  await expectText(page, '/demo chunks=2 delay=0 ')
  await show(guest, 'model-chip')
  await page.reload()
  await page.getByRole('button', { name: 'Model', exact: true, description: name }).waitFor()
  await chip.waitFor()
  await expectText(page, '/demo chunks=2 delay=0 ')
  await page.getByRole('button', { name: `Remove ${name}` }).click()
  await chip.waitFor({ state: 'detached' })
  await field(page).focus()
  await press(page, 'End')
  // Models with these letters in their descriptions are not listed, and a name may have several words.
  await page.keyboard.type('@cla')
  const names = () => list(page, 'Models for this message').getByRole('option').locator('span.font-medium').allTextContents()
  await expect.poll(names).not.toEqual([])
  for (const listed of await names()) expect(listed).toMatch(/^Claude/)
  await field(page).fill('')
  await page.keyboard.type('@claude s')
  await expect.poll(names).toEqual(expect.arrayContaining(['Claude Sonnet 5']))
  for (const listed of await names()) expect(listed).toMatch(/^Claude .*Sonnet/)
  await field(page).fill('/demo chunks=2 delay=0 ')
  await page.keyboard.type('@gpt 4o m')
  await expect.poll(names).toEqual(['GPT 4o Mini'])
  await press(page, 'Tab')
  await chip.waitFor()
  const chosen = await nameOf()
  await press(page, 'Enter')
  await guest.untilAnswered()
  await chip.waitFor({ state: 'detached' })
  expect(await nameOf()).toBe(usual)
  const record = openRecord(product().stateDir)
  const used = record
    .prepare("select json_extract(message, '$.metadata.modelName') name from message order by createdAt desc limit 1")
    .get()
  record.close()
  expect(used?.name).toBe(chosen)
})

test('the text in the composer becomes a prompt from the palette', async () => {
  const { page } = await openComposer()
  await field(page).fill('Explain it to a child.')
  await press(page, 'Control+k')
  await page.getByRole('combobox', { name: 'Search threads and commands' }).waitFor()
  await page.keyboard.type('save text as')
  await page.getByRole('option', { name: /Save text as prompt/ }).click()
  const dialog = page.getByRole('dialog', { name: 'New prompt' })
  expect(await dialog.getByRole('textbox', { name: 'Text' }).inputValue()).toBe('Explain it to a child.')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Child')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.waitFor({ state: 'detached' })
  await field(page).fill('')
  await field(page).focus()
  await page.keyboard.type('/chi')
  await list(page).getByText('Explain it to a child.').waitFor()
})

test('a draft follows to the phone, and sending it there empties the composer here', async () => {
  const desk = await openComposer()
  await desk.send('/demo chunks=2 delay=0')
  await desk.untilAnswered()
  const phone = await newDevice(desk, { phone: true })
  await phone.open(pathOf(desk))
  await desk.page.keyboard.type('/demo chunks=3 delay=0')
  await expectText(phone.page, '/demo chunks=3 delay=0')
  await show(phone, 'draft-on-phone')
  // The new thread has a draft of its own.
  const laptop = await newDevice(desk)
  await laptop.open()
  await laptop.page.keyboard.type('For the next thread')
  await phone.page.goto('/')
  await expectText(phone.page, 'For the next thread')
  await phone.page.goto(pathOf(desk))
  await expectText(phone.page, '/demo chunks=3 delay=0')
  await desk.page.locator('body').click({ position: { x: 700, y: 5 } })
  await field(desk.page).evaluate((node: HTMLElement) => node.blur())
  await phone.page.getByRole('button', { name: 'Send message' }).click()
  await phone.untilAnswered()
  await expectText(desk.page, '')
  await expectText(phone.page, '')
  await phone.page.goto('/')
  await expectText(phone.page, 'For the next thread')
})

test('a cleared draft ends on the other device, also when its thread is left at once', async () => {
  const desk = await openComposer()
  await desk.send('/demo chunks=2 delay=0')
  await desk.untilAnswered()
  const phone = await newDevice(desk, { phone: true })
  await phone.open(pathOf(desk))
  await desk.page.keyboard.type('Half a thought')
  await expectText(phone.page, 'Half a thought')
  await desk.composer.fill('')
  await desk.page.keyboard.press('Control+Shift+O')
  await expectText(phone.page, '')
})

test('a new thread has the focus in its composer, also when its page is open already', async () => {
  const { page } = await openComposer()
  const model = page.getByRole('button', { name: 'Model', exact: true })
  const palette = async (command: string) => {
    await press(page, 'Control+k')
    await page.getByRole('combobox', { name: 'Search threads and commands' }).fill(command)
    await page.getByRole('option', { name: new RegExp(`^${command}`) }).waitFor()
    await press(page, 'Enter')
  }
  const ways = [
    () => press(page, 'Control+Shift+O'),
    () => press(page, 'Control+Shift+E'),
    () => press(page, 'Control+Shift+E'),
    () => page.getByRole('button', { name: 'New thread', exact: true }).click(),
    () => palette('New temporary thread'),
    () => palette('New thread'),
  ]
  for (const open of ways) {
    await model.focus()
    await open()
    await expect.poll(() => isFocused(field(page))).toBe(true)
  }
})
