// The layout of messages: the gaps between them, the toolbars in the gaps, and the actions on a phone.
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { setStage, show } from './stage.ts'
import type { UserPage } from './user-page.ts'

const { openComposer } = setStage()

const questions = ({ conversation }: UserPage) => conversation.getByRole('article', { name: 'Your message' })
const answers = ({ conversation }: UserPage) => conversation.getByRole('article', { name: 'Answer' })

async function boxOf(element: Locator) {
  const box = await element.boundingBox()
  if (!box) throw new Error('not on the page')
  return { ...box, right: box.x + box.width, bottom: box.y + box.height }
}

async function openTwoTurns(phone: boolean): Promise<UserPage> {
  const user = await openComposer({ phone })
  for (const text of ['/demo delay=0 say=**First** answer', '/demo delay=0 say=Second answer']) {
    await user.send(text)
    await user.untilAnswered()
  }
  return user
}

test('an answer is 20 px below its question and 48 px above the next one', async () => {
  const user = await openTwoTurns(false)
  const [question, next] = [await boxOf(questions(user).nth(0)), await boxOf(questions(user).nth(1))]
  const answer = await boxOf(answers(user).nth(0))
  expect(answer.y - question.bottom).toBe(20)
  expect(next.y - answer.bottom).toBe(48)
  const toolbar = await boxOf(answers(user).nth(0).getByRole('toolbar', { name: 'Message actions' }))
  expect(toolbar.y).toBeGreaterThanOrEqual(answer.bottom)
  expect(toolbar.bottom).toBeLessThanOrEqual(next.y)
})

const opacity = (element: Locator) => element.evaluate((button) => getComputedStyle(button).opacity)

test('the toolbar of the newest answer is visible, the others with the pointer or the focus', async () => {
  const user = await openTwoTurns(false)
  const { page } = user
  await page.mouse.move(0, 0)
  const buttons = [...(await questions(user).all()), ...(await answers(user).all())].map((message) =>
    message.getByRole('button', { name: 'Copy', exact: true }),
  )
  await expect.poll(() => Promise.all(buttons.map(opacity))).toEqual(['0', '0', '0', '1'])
  await questions(user).nth(0).hover()
  await show(user, 'rhythm-question')
  expect(await Promise.all(buttons.map(opacity))).toEqual(['1', '0', '0', '1'])
  await answers(user).nth(0).getByText('First').hover()
  await show(user, 'rhythm-answer')
  expect(await Promise.all(buttons.map(opacity))).toEqual(['0', '0', '1', '1'])
  await page.mouse.move(0, 0)
  await buttons[1]?.focus()
  expect(await Promise.all(buttons.map(opacity))).toEqual(['0', '1', '0', '1'])
  // A bookmark is a state.
  const bookmark = answers(user)
    .nth(0)
    .getByRole('button', { name: /bookmark/i })
  await bookmark.click()
  await page.mouse.move(0, 0)
  await expect.poll(() => Promise.all([opacity(bookmark), ...buttons.map(opacity)])).toEqual(['1', '0', '0', '1', '1'])
  await page.keyboard.press('Escape')
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  await expect.poll(() => Promise.all([opacity(bookmark), ...buttons.map(opacity)])).toEqual(['1', '0', '0', '0', '1'])
})
