/** Two devices write in one thread: neither replaces the text that the other device shows to a user who is writing. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openRecord } from '../../support/record-file.ts'
import { serverAway } from '../../support/server-away.ts'
import { pathOf, setStage, show } from '../stage.ts'

const { openComposer, newDevice, product } = setStage({ ignoredErrors: serverAway })

const field = (page: Page) => page.locator('[data-composer] textarea')
const expectText = (page: Page, text: string) => expect.poll(() => field(page).inputValue()).toBe(text)
const offer = (page: Page, text: string) => page.getByRole('status').filter({ hasText: `Draft from another device: ${text}` })

test('a focused text is not replaced: the other draft is offered, and neither is lost', async () => {
  const desk = await openComposer()
  await desk.send('/demo chunks=2 delay=0')
  await desk.untilAnswered()
  const phone = await newDevice(desk, { phone: true })
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
