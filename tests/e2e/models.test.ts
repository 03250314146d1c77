/** The model of the next message: which one a thread continues with, and what the composer does with models that do not fit. */
import { expect, test } from 'vitest'
import { serverAway } from '../support/server-away.ts'
import { choose, chooseModel, picture } from './attach.ts'
import { pathOf, setStage, show } from './stage.ts'
import { toolsButton, type UserPage, untilMode } from './user-page.ts'

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

test('[T7] a thread continues with the model of its last answer, on every device and after a reload', async () => {
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
  const research = page.getByRole('menuitemradio', { name: 'Research' })
  await toolsButton(user).click()
  expect(
    await research
      .locator('span')
      .first()
      .evaluate((word) => getComputedStyle(word).opacity),
  ).toBe('1')
  expect((await research.locator('svg').last().boundingBox())?.width).toBe(12)
  await research.click()
  await offer.getByText('Research needs PRO', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await offer.waitFor({ state: 'detached' })
  await toolsButton(user).press('Enter')
  await research.press('Enter')
  await offer.waitFor()
  await page.keyboard.press('Escape')
  await offer.waitFor({ state: 'detached' })
  await untilMode(user, null)

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

test('a picture that the model cannot read switches to one that can; Undo and removing the picture give the former model back', async () => {
  const user = await openComposer()
  const { page } = user
  await untilModel(user, usual)
  // A picture that is removed at once has no thumbnail yet.
  user.ignoreErrors(/status of 404/)
  const note = page.getByText('Switched to Gemini 2.5 Flash, which reads images.')
  const refused = page.getByText("This model can't read images")
  await choose(user, picture('cat.png'))
  await note.waitFor()
  await untilModel(user, 'Gemini 2.5 Flash')
  await show(user, 'switched-model')
  // A reload cancels an upload.
  await page.getByRole('button', { name: 'Remove cat.png' }).waitFor()
  await page.reload()
  await note.waitFor()
  await page.getByRole('button', { name: 'Remove cat.png' }).click()
  await note.waitFor({ state: 'detached' })
  await untilModel(user, usual)

  await choose(user, picture('dog.png'))
  await note.waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await untilModel(user, usual)
  await refused.waitFor()
  await choose(user, picture('fox.png'))
  await page.getByRole('button', { name: 'Remove fox.png' }).waitFor()
  expect(await note.count()).toBe(0)
  await page.getByRole('button', { name: 'Remove dog.png' }).click()
  await page.getByRole('button', { name: 'Remove fox.png' }).click()
  await refused.waitFor({ state: 'detached' })

  // The thread continues with the model that answered; new threads do not.
  await choose(user, picture('owl.png'))
  await untilModel(user, 'Gemini 2.5 Flash')
  await page.getByRole('button', { name: 'Remove owl.png' }).waitFor()
  await say(user)
  await untilModel(user, 'Gemini 2.5 Flash')
  expect(await note.count()).toBe(0)
  await page.keyboard.press('Control+Shift+O')
  await untilModel(user, usual)
})

test('@ with a locked model opens the offer; the picker opens beside the composer with suggestions, and covers none of its buttons', async () => {
  const user = await openComposer()
  const { page } = user
  await untilModel(user, usual)
  await mention(user, 'opus 5')
  const offer = page.getByRole('dialog', { name: 'Upgrade to PRO' })
  await offer.getByText('Claude Opus 5 needs PRO', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await offer.waitFor({ state: 'detached' })
  await page.locator('[data-composer] textarea').fill('')

  await page.getByRole('button', { name: 'Model', exact: true }).click()
  const panel = page.getByRole('dialog', { name: 'Choose a model' })
  const suggested = panel.getByRole('group', { name: 'Suggested' }).getByRole('option')
  await expect.poll(() => suggested.count()).toBe(3)
  expect((await suggested.first().boundingBox())?.height).toBe(44)
  expect(await suggested.first().innerText()).toMatch(/Gemini 2.5 Flash[\s\S]*Fast, and good at everyday questions[\s\S]*1 credit/)
  const gap = async () => {
    const [list, form] = await Promise.all([panel.boundingBox(), page.locator('[data-composer]').boundingBox()])
    if (!list || !form) throw new Error('the picker or the composer is not drawn')
    return Math.round(Math.max(form.y - list.y - list.height, list.y - form.y - form.height))
  }
  await expect.poll(gap).toBe(8)
  await show(user, 'picker')
})
