/** A prompt that is shared with an organization, on the pages of two members. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { fileOrigin } from '../../../worker/contract/tools/taint.ts'
import { openRecord } from '../../support/record-file.ts'
import { createPrompt } from '../prompts.ts'
import { setStage, show } from '../stage.ts'
import type { UserPage } from '../user-page.ts'

const { newSignedInUser, product } = setStage()

const field = (page: Page) => page.locator('[data-composer] textarea')
const list = (page: Page) => page.getByRole('listbox', { name: 'Commands and prompts' })

test('a prompt that is shared with an organization appears for its members, until the author leaves', async () => {
  const [ada, ben] = [await newSignedInUser('ada-prompts@example.test'), await newSignedInUser('ben-prompts@example.test')]
  const call = async ({ page }: UserPage, path: string, data: object) => {
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
  await ada.page.keyboard.press('Enter')
  await expect.poll(() => field(ada.page).inputValue()).toBe('Write very short sentences.')
  await ada.page.keyboard.press('Enter')
  await ada.untilAnswered()
  // The text is of another user, so calls that could carry something out ask first.
  const record = openRecord(product().stateDir, true)
  const sent = record
    .prepare(`select json_extract(message, '$.origins') origins from message where message like '%very short sentences%'`)
    .all()
  record.close()
  expect(sent.map(({ origins }) => origins)).toContain(JSON.stringify([fileOrigin]))
  await call(ben, 'leave', { organizationId })
  await ada.page.goto('/')
  await field(ada.page).focus()
  await ada.page.keyboard.type('/')
  await list(ada.page).getByText('Create a prompt').waitFor()
})
