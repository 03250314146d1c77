/** The palette by keyboard. */
import { expect } from 'vitest'
import { pathOf } from './stage.ts'
import type { UserPage } from './user-page.ts'

export const field = ({ page }: UserPage) => page.getByRole('combobox', { name: 'Search threads and commands' })

/** The active option, as a screen reader announces it. */
export const pointedAt = (user: UserPage): Promise<string> =>
  field(user).evaluate((input) => document.getElementById(input.getAttribute('aria-activedescendant') ?? '')?.textContent ?? '')

export const ask = async (user: UserPage, question: string): Promise<string> => {
  await user.open()
  await user.send(question)
  await user.untilAnswered()
  return pathOf(user)
}

export const openWith = async (user: UserPage, text: string) => {
  // An open overlay receives all keys, also for a moment after Escape.
  await user.page.locator('[aria-modal="true"]').waitFor({ state: 'detached' })
  await user.page.keyboard.press('Control+k')
  await field(user).fill(text)
}

/** Enter runs the active option, and does nothing while there is none. */
export const enter = async (user: UserPage, pointed: RegExp) => {
  await expect.poll(() => pointedAt(user)).toMatch(pointed)
  await user.page.keyboard.press('Enter')
}

export const doByName = async (user: UserPage, text: string, pointed: RegExp) => {
  await openWith(user, text)
  await enter(user, pointed)
}
