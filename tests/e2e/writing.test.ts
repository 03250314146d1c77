/** Writing on several devices: prompts that `/` inserts, models for one message that `@` chooses, and drafts that follow the user. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openRecord } from '../support/record-file.ts'
import { serverAway } from '../support/server-away.ts'
import { isFocused, pointedAt } from './keys.ts'
import type { Person } from './person.ts'
import { pathOf, setStage, show } from './stage.ts'

const { arrive, meetAgain, meetAccount, product } = setStage({ forgiven: serverAway })

const field = (page: Page) => page.locator('[data-composer] textarea')
const list = (page: Page, name = 'Prompts') => page.getByRole('listbox', { name })
const expectText = (page: Page, text: string) => expect.poll(() => field(page).inputValue()).toBe(text)
const selected = (page: Page) =>
  field(page).evaluate((node: HTMLTextAreaElement) => node.value.slice(node.selectionStart, node.selectionEnd))
const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key)
}

async function createPrompt({ page }: Person, name: string, text: string): Promise<void> {
  await page.goto('/account/prompts')
  await page.getByRole('button', { name: 'New prompt' }).click()
  const dialog = page.getByRole('dialog', { name: 'New prompt' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name)
  await dialog.getByRole('textbox', { name: 'Text' }).fill(text)
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('listitem').filter({ hasText: name }).waitFor()
}

test('a prompt is created, used on another device by keyboard, changed, deleted and restored', async () => {
  const desk = await arrive()
  await createPrompt(desk, 'Review', 'Review {{code}} as {{role}}. Name the worst line of {{code}}.')
  await createPrompt(desk, 'Translate', 'Translate to German.')
  await show(desk, 'prompts')
  const phone = await meetAgain(desk)
  await phone.open()
  const { page } = phone
  await field(page).focus()
  await page.keyboard.type('Please /')
  await list(page).waitFor()
  await show(phone, 'prompt-list')
  await expect.poll(pointedAt(page)).toBe('Review')
  expect(await field(page).getAttribute('aria-controls')).toBe(await list(page).getAttribute('id'))
  await press(page, 'ArrowDown')
  await expect.poll(pointedAt(page)).toBe('Translate')
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
  await expect.poll(() => list(page).getByRole('option').count()).toBe(2)
  await page.context().setOffline(false)
})

test('paths, URLs, code and an input method open no list; Escape closes it and stops no answer', async () => {
  const guest = await arrive()
  const { page } = guest
  await field(page).focus()
  await page.keyboard.type('/')
  await list(page).getByText('Create a prompt').waitFor()
  await press(page, 'Escape')
  await list(page).waitFor({ state: 'detached' })
  // It stays closed for this word.
  await page.keyboard.type('usr')
  for (const text of ['See https://example.com/a', 'and/or', 'mail me@example.com', '`cd /', '```\n/', '~~~\n@']) {
    await field(page).fill('')
    await page.keyboard.insertText(text.slice(0, -1))
    await page.keyboard.type(text.slice(-1))
    await expectText(page, text)
    expect(await page.getByRole('listbox').count(), text).toBe(0)
  }
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

test('@ chooses a model for one message; the chip survives a reload and can be removed', async () => {
  const guest = await arrive()
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
  await chip.getByText(name).waitFor()
  await expectText(page, '/demo chunks=2 delay=0 ')
  await show(guest, 'model-chip')
  await page.reload()
  await chip.getByText(name).waitFor()
  await expectText(page, '/demo chunks=2 delay=0 ')
  await page.getByRole('button', { name: `Remove ${name}` }).click()
  await chip.waitFor({ state: 'detached' })
  await field(page).focus()
  await press(page, 'End')
  await page.keyboard.type(`@${name.split(' ').at(-1)}`)
  await list(page, 'Models for this message').waitFor()
  await press(page, 'Tab')
  await chip.waitFor()
  const chosen = await chip.locator('span.font-medium').textContent()
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
  const { page } = await arrive()
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

test('a prompt that is shared with an organization appears for its members, until the author leaves', async () => {
  const [ada, ben] = [await meetAccount('ada-prompts@example.test'), await meetAccount('ben-prompts@example.test')]
  const call = async ({ page }: Person, path: string, data: object) => {
    const answer = await page.request.post(`${product().url}/api/auth/organization/${path}`, { data, headers: { origin: product().url } })
    expect(answer.ok(), path).toBe(true)
    return (await answer.json()) as { readonly id: string }
  }
  const { id: organizationId } = await call(ada, 'create', { name: 'Makers', slug: 'makers-prompts' })
  const { id: invitationId } = await call(ada, 'invite-member', { organizationId, email: 'ben-prompts@example.test', role: 'member' })
  await call(ben, 'accept-invitation', { invitationId })
  await createPrompt(ben, 'House style', 'Write short sentences.')
  await ada.page.goto('/account/prompts')
  await ben.page.getByRole('button', { name: 'Share House style' }).click()
  await ben.page.getByRole('menuitemradio', { name: 'Makers' }).click()
  await ada.page.getByRole('region', { name: 'Shared with you' }).getByText('House style').waitFor()
  await show(ada, 'prompts-shared')
  await ben.page.getByRole('button', { name: 'Edit House style' }).click()
  await ben.page.getByRole('dialog').getByRole('textbox', { name: 'Text' }).fill('Write very short sentences.')
  await ben.page.getByRole('button', { name: 'Save' }).click()
  await ada.page.getByText('Write very short sentences.').waitFor()
  await ada.page.goto('/')
  await field(ada.page).focus()
  await ada.page.keyboard.type('/house')
  await list(ada.page).getByText('Shared with Makers').waitFor()
  await press(ada.page, 'Enter')
  await expectText(ada.page, 'Write very short sentences.')
  await call(ben, 'leave', { organizationId })
  await field(ada.page).fill('')
  await ada.page.keyboard.type('/')
  await list(ada.page).getByText('Create a prompt').waitFor()
})

const offer = (page: Page, text: string) => page.getByRole('status').filter({ hasText: `Draft from another device: ${text}` })

test('a draft follows to the phone, and sending it there empties the composer here', async () => {
  const desk = await arrive()
  await desk.send('/demo chunks=2 delay=0')
  await desk.untilAnswered()
  const phone = await meetAgain(desk, { phone: true })
  await phone.open(pathOf(desk))
  await desk.page.keyboard.type('/demo chunks=3 delay=0')
  await expectText(phone.page, '/demo chunks=3 delay=0')
  await show(phone, 'draft-on-phone')
  // The new thread has a draft of its own.
  const laptop = await meetAgain(desk)
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

test('a focused text is not replaced: the other draft is offered, and neither is lost', async () => {
  const desk = await arrive()
  await desk.send('/demo chunks=2 delay=0')
  await desk.untilAnswered()
  const phone = await meetAgain(desk, { phone: true })
  await phone.open(pathOf(desk))
  await desk.page.keyboard.type('From the desk')
  await expectText(phone.page, 'From the desk')
  // The phone has the focus and no local changes.
  await field(phone.page).focus()
  await desk.page.keyboard.type(', longer')
  await offer(phone.page, 'From the desk, longer').waitFor()
  await expectText(phone.page, 'From the desk')
  await field(phone.page).evaluate((node: HTMLElement) => node.blur())
  await expectText(phone.page, 'From the desk, longer')

  // Both write while the phone has no connection; the phone reloads meanwhile.
  await phone.page.context().setOffline(true)
  await field(phone.page).fill('From the train')
  await desk.page.keyboard.type(' and longer')
  const revision = () => {
    const record = openRecord(product().stateDir)
    const row = record.prepare('select text from draft where threadId is not null order by updatedAt desc limit 1').get()
    record.close()
    return row?.text
  }
  await expect.poll(revision).toBe('From the desk, longer and longer')
  await phone.page.context().setOffline(false)
  await offer(phone.page, 'From the desk, longer and longer').waitFor()
  await expectText(phone.page, 'From the train')
  await show(phone, 'draft-of-device')
  await phone.page.reload()
  await expectText(phone.page, 'From the train')
  await offer(phone.page, 'From the desk, longer and longer').getByRole('button', { name: 'Use' }).click()
  await expectText(phone.page, 'From the desk, longer and longer')
  // The replaced local text is offered.
  await phone.page.getByText('Draft from another tab: From the train').waitFor()
  await expectText(desk.page, 'From the desk, longer and longer')
})
