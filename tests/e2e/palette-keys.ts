/** The palette by keyboard. */
import { expect } from 'vitest'
import type { Person } from './person.ts'
import { pathOf } from './stage.ts'

export const field = ({ page }: Person) => page.getByRole('combobox', { name: 'Search threads and commands' })

/** The active option, as a screen reader announces it. */
export const pointedAt = (person: Person): Promise<string> =>
  field(person).evaluate((input) => document.getElementById(input.getAttribute('aria-activedescendant') ?? '')?.textContent ?? '')

export const ask = async (person: Person, question: string): Promise<string> => {
  await person.open()
  await person.send(question)
  await person.untilAnswered()
  return pathOf(person)
}

export const openWith = async (person: Person, text: string) => {
  // An open overlay receives all keys, also for a moment after Escape.
  await person.page.locator('[aria-modal="true"]').waitFor({ state: 'detached' })
  await person.page.keyboard.press('Control+k')
  await field(person).fill(text)
}

/** Enter runs the active option, and does nothing while there is none. */
export const enter = async (person: Person, pointed: RegExp) => {
  await expect.poll(() => pointedAt(person)).toMatch(pointed)
  await person.page.keyboard.press('Enter')
}

export const doByName = async (person: Person, text: string, pointed: RegExp) => {
  await openWith(person, text)
  await enter(person, pointed)
}
