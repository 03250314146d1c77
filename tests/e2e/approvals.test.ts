/** Tool calls that need approval, on two devices. The demo model calls a tool of development that saves nothing. Rules: worker/turns/SPEC.md, Y1 to Y8. */
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { openRecord } from '../support/record-file.ts'
import { isFocused } from './keys.ts'
import { pathOf, setStage, show } from './stage.ts'
import type { UserPage } from './user-page.ts'

const { openComposer, newDevice, product } = setStage()

const cardOf = ({ conversation }: UserPage): Locator => conversation.getByRole('region', { name: 'Approval for Save a note' })
const versions = ({ conversation }: UserPage): Locator => conversation.getByRole('button', { name: 'Previous version' })

/** A user with an answer that waits. */
async function asked(command: string): Promise<UserPage> {
  const laptop = await openComposer()
  await laptop.send(`/demo delay=0 ${command}`)
  await cardOf(laptop).getByRole('button', { name: 'Allow once' }).first().waitFor()
  return laptop
}

test('[Y2] a phone allows the call while the laptop waits; both show one answer with the result', async () => {
  const laptop = await asked('note=Tea')
  const card = cardOf(laptop)
  expect(await card.innerText()).toContain('Tool of Demo notes')
  expect(await card.getByRole('definition').allInnerTexts()).toEqual(['Tea', 'A note about Tea.', '0'])
  expect(await card.innerText()).toContain('Demo notes says about this tool:')
  const phone = await newDevice(laptop, { phone: true })
  await phone.open(pathOf(laptop))
  await cardOf(phone).getByRole('button', { name: 'Allow once' }).click()
  for (const device of [laptop, phone]) {
    await device.conversation.getByText('The demo has saved one note.').waitFor()
    await cardOf(device).waitFor({ state: 'detached' })
    expect(await device.answers()).toBe(1)
    expect(await versions(device).count()).toBe(0)
  }
  await laptop.conversation.getByRole('button', { name: 'Used Save a note' }).click()
  await laptop.conversation.getByText('You allowed this call.').waitFor()
})

test('[Y2] changed arguments are sent, and arguments that do not fit the schema are not', async () => {
  const laptop = await asked('note=Tea')
  const card = cardOf(laptop)
  await card.getByRole('button', { name: 'Change what is sent' }).click()
  await card.getByRole('textbox', { name: 'title' }).fill('')
  await card.getByRole('button', { name: 'Allow once' }).click()
  await card.getByText('Enter at least 1 character.').waitFor()
  await card.getByRole('textbox', { name: 'title' }).fill('Coffee')
  await card.getByRole('button', { name: 'Allow once' }).click()
  await laptop.untilAnswered()
  await laptop.conversation.getByRole('button', { name: 'Used Save a note' }).click()
  await laptop.conversation.getByText('You changed what is sent and allowed this call.').waitFor()
  await laptop.conversation.getByText('"saved": "Coffee"').waitFor()
})

test('[Y4] two calls are decided by keyboard, one after the other', async () => {
  const laptop = await asked('note=Tea | Milk')
  const allow = cardOf(laptop).getByRole('button', { name: 'Allow once' })
  await allow.first().press('Enter')
  await laptop.conversation.getByText('Waits until you have decided').waitFor()
  await expect.poll(() => isFocused(allow)).toBe(true)
  await allow.press('Enter')
  await laptop.conversation.getByText('The demo has saved 2 notes.').waitFor()
  await expect.poll(() => isFocused(laptop.composer)).toBe(true)
})

test('[Y7] a tool that is allowed for the thread is used without asking, until the user ends it', async () => {
  const laptop = await asked('note=Tea')
  await cardOf(laptop).getByRole('button', { name: 'Allow for this thread' }).click()
  await laptop.conversation.getByText('The demo has saved one note.').waitFor()
  await laptop.untilAnswered()
  await laptop.send('/demo delay=0 note=Milk')
  await laptop.untilAnswered()
  await expect.poll(() => laptop.conversation.getByText('The demo has saved one note.').count()).toBe(2)
  await laptop.conversation.getByRole('button', { name: 'Used Save a note' }).first().click()
  await laptop.conversation.getByRole('button', { name: 'Ask again next time' }).click()
  await laptop.conversation.getByText('Allowed for this thread.').waitFor({ state: 'detached' })
  await laptop.send('/demo delay=0 note=Water')
  await cardOf(laptop).waitFor()
})

test('[Y8] another message denies the call', async () => {
  const laptop = await asked('note=Tea')
  await laptop.send('/demo chunks=2 delay=0')
  await laptop.untilAnswered()
  await laptop.conversation.getByRole('button', { name: 'Save a note was not allowed' }).waitFor()
  expect(await cardOf(laptop).count()).toBe(0)
})

test('[Y8] a call that nobody decided within a day says so on every device, and can be asked for again', async () => {
  const laptop = await asked('note=Tea')
  const phone = await newDevice(laptop, { phone: true })
  await phone.open(pathOf(laptop))
  await cardOf(phone).getByRole('button', { name: 'Allow once' }).waitFor()
  await product().kill9()
  const record = openRecord(product().stateDir)
  record.prepare('update approval set expiresAt = ? where threadId = ?').run(Date.now(), pathOf(laptop).slice(1))
  record.close()
  await product().restart()
  for (const device of [laptop, phone]) {
    await cardOf(device).getByText('“Save a note” was not approved in time').waitFor()
    await cardOf(device).getByText('Nobody decided within a day, so this was not done.').waitFor()
    expect(await cardOf(device).getByRole('button', { name: 'Allow once' }).count()).toBe(0)
  }
  await show(phone, 'expired-phone')
  await cardOf(phone).getByRole('button', { name: 'Ask again' }).tap()
  await cardOf(laptop).getByRole('button', { name: 'Allow once' }).click()
  for (const device of [laptop, phone]) {
    await device.conversation.getByText('The demo has saved one note.').waitFor()
    expect(await device.answers()).toBe(1)
  }
})
