/** Research in the browser: the user edits the plan, every device shows the progress, and findings are never lost. */
import { expect, test } from 'vitest'
import { researchesPerDay } from '../../worker/contract/limits.ts'
import { problemsOf } from './axe.ts'
import { button, planOf, researchAllowance, subscribe } from './research-plan.ts'
import { setStage, show } from './stage.ts'
import { chooseMode, type UserPage, type Visit } from './user-page.ts'

const { openComposer, newSignedInUser, newDevice } = setStage()

const arrivePro = async (name: string, options: Partial<Visit> = {}) => subscribe(await newSignedInUser(`${name}@example.test`, options))
const option = ({ page }: UserPage, name: string) => page.getByRole('radio', { name, exact: true })

/** A press with a pause: an element that moves away from the pointer meanwhile gets no click. */
async function pressAndHold({ page }: UserPage, on: ReturnType<typeof button>): Promise<void> {
  await on.hover()
  await page.mouse.down()
  await page.waitForTimeout(heldPressMs)
  await page.mouse.up()
}
const heldPressMs = 90

const hasFocus = (of: ReturnType<typeof button>) => of.evaluate((element) => element === document.activeElement)

test('a plan is edited on two devices, approved, carried out on both screens, and ends in a cited answer', async () => {
  const desk = await arrivePro('mira')
  await chooseMode(desk, 'Research')
  await desk.page.reload()
  await desk.composer.waitFor()
  await expect.poll(() => option(desk, 'Research').isChecked()).toBe(true)
  await show(desk, 'research-composer')
  await desk.send('/demo delay=20 search=how bread rises')
  await desk.threads.getByRole('link', { name: 'Bread rises', exact: true }).waitFor()
  const plan = planOf(desk)
  await plan.getByText('Searches for “how bread rises: causes” and “how bread rises: history”').waitFor()
  await plan.getByText(`Costs 1 credit and 1 research · ${researchesPerDay.pro} of ${researchesPerDay.pro} left today`).waitFor()
  expect(await problemsOf(desk)).toEqual([])

  const phone = await newDevice(desk, { phone: true })
  await phone.open(new URL(desk.page.url()).pathname)
  await show(desk, 'research-plan')
  // A follow-up message is not another research.
  await expect.poll(() => option(desk, 'Chat').isChecked()).toBe(true)
  await planOf(phone).getByRole('button', { name: 'Remove question 2' }).click()
  await expect.poll(() => plan.getByRole('listitem').count()).toBe(2)
  const second = plan.getByRole('textbox', { name: 'Question 2' })
  await second.fill('why the tides come twice')
  await second.press('Escape')
  await second.fill('what tea is')
  // Its line of searches disappears, so everything below moves up, but only after the press.
  await pressAndHold(desk, button(desk, 'Add a question'))
  await plan.getByRole('textbox', { name: 'Question 3' }).fill('the moon')
  // Text is saved when its page closes, by that page or by the next one.
  await desk.page.reload()
  await expect.poll(() => planOf(phone).getByRole('textbox', { name: 'Question 3' }).inputValue()).toBe('the moon')
  await expect.poll(() => planOf(phone).getByRole('textbox', { name: 'Question 2' }).inputValue()).toBe('what tea is')
  await show(phone, 'research-plan-phone')
  await button(phone, 'Dismiss').press('Enter')
  await expect.poll(() => hasFocus(button(phone, 'Restore plan'))).toBe(true)
  await button(desk, 'Restore plan').press('Enter')
  await expect.poll(() => hasFocus(button(desk, 'Dismiss'))).toBe(true)
  await researchAllowance(desk, researchesPerDay.pro).waitFor({ state: 'attached' })

  // The row of an empty step also disappears after the press.
  await button(desk, 'Add a question').click()
  await expect.poll(() => hasFocus(plan.getByRole('textbox', { name: 'Question 4' }))).toBe(true)
  await pressAndHold(desk, button(desk, 'Start research'))
  await Promise.all([desk, phone].map(({ conversation }) => conversation.getByText(/^Question \d of 3 · /).waitFor()))
  await show(desk, 'research-running')
  await show(phone, 'research-running-phone')
  await desk.page.reload()
  await desk.conversation.getByText(/^(Question \d|Researched 3 questions)/).waitFor()
  await desk.untilAnswered()
  await researchAllowance(desk, researchesPerDay.pro - 1).waitFor({ state: 'attached' })
  for (const user of [desk, phone]) {
    const work = user.conversation.getByRole('button', { name: /^Researched 3 questions · 3 searches · \d pages$/ })
    await work.click()
    const steps = user.conversation.getByRole('list', { name: 'Questions of the research' })
    await expect.poll(() => steps.getByRole('img', { name: 'Done' }).count()).toBe(3)
    await steps.getByRole('button', { name: 'what tea is' }).click()
    await steps.getByText('what tea is', { exact: true }).nth(1).waitFor()
  }
  expect(await problemsOf(desk)).toEqual([])
  expect(await problemsOf(phone)).toEqual([])
  await show(desk, 'research-done')
  await show(phone, 'research-done-phone')
  const pill = desk.conversation.getByRole('link', { name: /^Source 1: How bread rises/ }).first()
  expect(await pill.getAttribute('href')).toBe('https://library.parley.example/bread')
  await desk.conversation.getByRole('region', { name: 'Sources' }).getByRole('link', { name: 'Tea, from one leaf' }).waitFor()
  // The report begins with the questions of the plan and is not a version of it.
  expect(await desk.conversation.getByRole('group', { name: 'Versions' }).count()).toBe(0)
})

test('a stopped research keeps its findings and can be continued', async () => {
  const user = await arrivePro('nia', { phone: true })
  await chooseMode(user, 'Research')
  await user.send('/demo delay=25 search=tea')
  await planOf(user).getByRole('button', { name: 'Remove question 3' }).press('Enter')
  await expect.poll(() => planOf(user).getByRole('listitem').count()).toBe(2)
  await expect.poll(() => hasFocus(button(user, 'Start research'))).toBe(true)
  await button(user, 'Add a question').tap()
  await expect.poll(() => hasFocus(planOf(user).getByRole('textbox', { name: 'Question 3' }))).toBe(true)
  await button(user, 'Start research').tap()
  await user.conversation.getByText(/^Question 2 of 2/).waitFor()
  await button(user, 'Stop generating').click()
  await user.conversation.getByText('You stopped this answer.').waitFor()
  await user.conversation.getByRole('button', { name: /^Researched/ }).waitFor()
  await researchAllowance(user, researchesPerDay.pro - 1).waitFor({ state: 'attached' })
  await show(user, 'research-stopped')
  await button(user, 'Continue').waitFor()
  // A stop by the user is no failure: continuing counts as another research.
  await expect.poll(() => button(user, 'Continue').getAttribute('aria-description')).toBe('1 credit and 1 research')
})

test('a user without research sees the reason and how to get it', async () => {
  const guest = await openComposer()
  await expect.poll(() => option(guest, 'Research').getAttribute('aria-disabled')).toBe('true')
  await option(guest, 'Research').click({ force: true })
  await guest.page.getByRole('alert').getByText('Research needs an account with PRO').waitFor()
  await guest.page.getByRole('alert').getByRole('link', { name: 'Log in' }).waitFor()
  await show(guest, 'research-refused')
  await chooseMode(guest, 'Search')
  await guest.page.getByText('Research needs an account with PRO').waitFor({ state: 'detached' })
  const free = await newSignedInUser('tia@example.test')
  await free.open()
  await free.page.locator('[data-tooltip="Research is only available with PRO"]').waitFor()
  await option(free, 'Research').click({ force: true })
  await free.page.getByRole('alert').getByRole('button', { name: 'Upgrade to PRO' }).waitFor()
  expect(await problemsOf(free)).toEqual([])
})
