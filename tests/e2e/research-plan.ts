/** A user with PRO, and the parts of a research on screen. */

import { researchesPerDay } from '../../worker/contract/limits.ts'
import { optionsButton, toolsButton, type UserPage } from './user-page.ts'

/** Pays at the simulated checkout and opens the composer. */
export async function subscribe(user: UserPage): Promise<UserPage> {
  await user.page.goto('/api/checkout')
  await user.page.getByRole('button', { name: 'Subscribe' }).click()
  await user.page.getByRole('dialog', { name: 'Welcome to PRO' }).waitFor()
  await user.open()
  await untilResearchesLeft(user, researchesPerDay.pro)
  return user
}

/** Waits until the menu shows this number of remaining researches, and closes it. */
export async function untilResearchesLeft(user: UserPage, left: number): Promise<void> {
  await toolsButton(user).or(optionsButton(user)).click()
  await user.page.getByRole('menuitemradio', { name: `Research ${left} left` }).waitFor()
  await user.page.keyboard.press('Escape')
}

export const planOf = ({ conversation }: UserPage) => conversation.getByRole('region', { name: 'Research plan' })
export const button = ({ page }: UserPage, name: string | RegExp) => page.getByRole('button', { name, exact: true })
