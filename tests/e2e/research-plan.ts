/** A user with PRO, and the parts of a research on screen. */

import { researchesPerDay } from '../../worker/contract/limits.ts'
import type { Person } from './person.ts'

/** Pays at the simulated checkout and opens the composer. */
export async function subscribe(person: Person): Promise<Person> {
  await person.page.goto('/api/checkout')
  await person.page.getByRole('button', { name: 'Subscribe' }).click()
  await person.page.getByText('You have PRO now').waitFor()
  await person.open()
  await researchAllowance(person, researchesPerDay.pro).waitFor({ state: 'attached' })
  return person
}

/** The description of the mode switch: the remaining number of researches. */
export const researchAllowance = ({ page }: Person, left: number) =>
  page.locator(`[data-tooltip="Plan and research, step by step · ${left} of ${researchesPerDay.pro} left today"]`)
export const planOf = ({ conversation }: Person) => conversation.getByRole('region', { name: 'Research plan' })
export const button = ({ page }: Person, name: string | RegExp) => page.getByRole('button', { name, exact: true })
