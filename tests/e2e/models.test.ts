/** The model of the next message: which one a thread goes on with, and what the composer does with models that do not fit. */
import { expect, test } from 'vitest'
import { serverAway } from '../support/server-away.ts'
import { chooseModel } from './attach.ts'
import { pathOf, setStage, show } from './stage.ts'
import type { UserPage } from './user-page.ts'

const { openComposer, newDevice, product } = setStage({ ignoredErrors: serverAway })

const usual = 'Kimi K2'
const untilModel = ({ page }: UserPage, name: string) =>
  page.getByRole('button', { name: 'Model', exact: true, description: name }).waitFor()

const say = async (user: UserPage) => {
  await user.send('/demo chunks=2 delay=0')
  await user.untilAnswered()
}

const mention = async ({ page }: UserPage, name: string) => {
  await page.locator('[data-composer] textarea').focus()
  await page.keyboard.type(`@${name}`)
  await page.getByRole('listbox', { name: 'Models for this message' }).getByRole('option').first().waitFor()
  await page.keyboard.press('Enter')
}

test('[T7] a thread goes on with the model of its last answer, on every device and after a reload', async () => {
  const desk = await openComposer()
  await untilModel(desk, usual)
  await say(desk)
  const phone = await newDevice(desk)
  await phone.open(pathOf(desk))
  await untilModel(phone, usual)

  // A choice in the thread is not the default of new threads, and no device but this one has it before it is used.
  await chooseModel(desk, 'GPT 4o Mini')
  await desk.page.reload()
  await untilModel(desk, 'GPT 4o Mini')
  await untilModel(phone, usual)
  await say(desk)
  await untilModel(phone, 'GPT 4o Mini')
  await phone.page.goto('/')
  await untilModel(phone, usual)
  await phone.page.goto(pathOf(desk))
  await untilModel(phone, 'GPT 4o Mini')
  const served = await (await desk.context.request.get(product().url + pathOf(desk))).text()
  expect(served.slice(0, served.indexOf('</html>'))).toMatch(/max-w-72 truncate">GPT 4o Mini</)

  // A model for one message does not stay.
  await mention(phone, 'gemini 2.5 f')
  await untilModel(phone, 'Gemini 2.5 Flash')
  await say(phone)
  await untilModel(phone, 'GPT 4o Mini')
  await untilModel(desk, 'GPT 4o Mini')

  // An answer of another device ends a choice that was made before it.
  await chooseModel(desk, 'Gemini 2.5 Flash')
  await chooseModel(phone, 'DeepSeek V4 Flash')
  await say(phone)
  await untilModel(desk, 'DeepSeek V4 Flash')
})

test('a locked mode and a locked model open the offer, which says what they need', async () => {
  const user = await openComposer()
  const { page } = user
  await untilModel(user, usual)
  const offer = page.getByRole('dialog', { name: 'Upgrade to PRO' })
  const research = page.getByRole('radio', { name: 'Research' })
  const label = page.locator('label').filter({ has: research })
  expect(await label.locator('span').evaluate((word) => getComputedStyle(word).opacity)).toBe('1')
  expect((await label.locator('svg').last().boundingBox())?.width).toBe(12)
  await label.click()
  await offer.getByText('Research needs PRO', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await offer.waitFor({ state: 'detached' })
  await research.press('Space')
  await offer.waitFor()
  await page.keyboard.press('Escape')
  await offer.waitFor({ state: 'detached' })
  expect(await page.getByRole('radio', { name: 'Chat' }).isChecked()).toBe(true)

  const find = async (name: string) => {
    await page.getByRole('button', { name: 'Model', exact: true }).press('Enter')
    await page.getByRole('combobox', { name: 'Find model' }).fill(name)
    await page.getByRole('option').filter({ hasText: name }).waitFor()
  }
  await find('Claude Opus 5')
  await page.keyboard.press('Enter')
  await offer.getByText('Claude Opus 5 needs PRO', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await offer.waitFor({ state: 'detached' })
  await find('GPT 5 Mini')
  await page.getByRole('option').filter({ hasText: 'GPT 5 Mini' }).click()
  await offer.getByText('GPT 5 Mini needs an account, which is free', { exact: true }).waitFor()
  await show(user, 'offer-for-a-model')
  await offer.getByRole('link', { name: 'Log in' }).click()
  await page.getByRole('heading', { name: 'Log in to Parley' }).waitFor()
})
