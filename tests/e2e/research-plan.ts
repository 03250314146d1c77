/** A user with PRO, and the parts of a research on screen. */

import { researchesPerDay } from '../../worker/contract/limits.ts'
import type { UserPage } from './user-page.ts'

/** Pays at the simulated checkout and opens the composer. */
export async function subscribe(user: UserPage): Promise<UserPage> {
  await user.page.goto('/api/checkout')
  await user.page.getByRole('button', { name: 'Subscribe' }).click()
  await user.page.getByRole('dialog', { name: 'Welcome to PRO' }).waitFor()
  await user.open()
  await researchAllowance(user, researchesPerDay.pro).waitFor({ state: 'attached' })
  return user
}

/** The description of the mode switch: the remaining number of researches. */
export const researchAllowance = ({ page }: UserPage, left: number) =>
  page.locator(`[data-tooltip="Plan and research, step by step · ${left} of ${researchesPerDay.pro} left today"]`)
export const planOf = ({ conversation }: UserPage) => conversation.getByRole('region', { name: 'Research plan' })
export const button = ({ page }: UserPage, name: string | RegExp) => page.getByRole('button', { name, exact: true })
