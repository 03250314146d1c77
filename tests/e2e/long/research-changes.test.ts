/** Rare outcomes of a research plan: a change that is refused after a reload, a failed plan, and one that the user skipped. */
import { expect, test } from 'vitest'
import { researchesPerDay } from '../../../worker/contract/limits.ts'
import { button, planOf, subscribe, untilResearchesLeft } from '../research-plan.ts'
import { pathOf, setStage } from '../stage.ts'
import { chooseMode } from '../user-page.ts'
import { withoutSocket } from '../without-socket.ts'

const { newSignedInUser, newDevice } = setStage()

test('a change refused after the reload is reported: the text of a step moves to the composer, and the start did not happen', async () => {
  const desk = await subscribe(await newSignedInUser('tess@example.test'))
  const wire = await withoutSocket(desk)
  await desk.open()
  await chooseMode(desk, 'Research')
  await desk.send('/demo delay=5 search=how bread rises')
  const step = planOf(desk).getByRole('textbox', { name: 'Question 2' })
  await step.waitFor()
  const phone = await newDevice(desk)
  await phone.open(pathOf(desk))
  await planOf(phone).waitFor()
  await wire.cut()
  await step.fill('what tea is')
  await step.press('Enter')
  await button(desk, 'Start research').click()
  await desk.conversation.getByText('Plan with 3 questions').or(button(desk, 'Stop generating')).first().waitFor()
  await desk.page.reload()
  await planOf(phone).getByRole('button', { name: 'Start research' }).click()
  await phone.untilAnswered()
  wire.mend()
  await desk.page.getByText('Your text is in the message field.').waitFor()
  await desk.page.getByText('The research was not started. This plan was already started.').waitFor()
  await expect.poll(() => desk.composer.inputValue()).toBe('what tea is')
  // Only once.
  await desk.page.reload()
  await expect.poll(() => desk.composer.inputValue()).toBe('what tea is')
})

test('creating a failed plan again is free, and its button shows no price; a plan that the user skipped shows a note', async () => {
  const user = await subscribe(await newSignedInUser('ola@example.test'))
  await chooseMode(user, 'Research')
  await user.send('/demo fail=start')
  const retry = button(user, 'Retry')
  await retry.waitFor()
  expect(await retry.getAttribute('aria-description')).toBeNull()
  await chooseMode(user, 'Research')
  await user.send('/demo delay=0 search=tea')
  await planOf(user).getByRole('button', { name: 'Start research' }).waitFor()
  await user.send('/demo delay=0 say=Never mind')
  await user.conversation.getByText('Plan with 3 questions, not started').waitFor()
  await untilResearchesLeft(user, researchesPerDay.pro)
})
