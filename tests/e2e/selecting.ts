/** Selections in the sidebar of two devices. */
import { newGuest } from '../support/guest.ts'
import { insertThreads } from './past-threads.ts'
import type { Person } from './person.ts'
import type { Stage } from './stage.ts'

/** Two devices of a guest with threads `Thread 1`, the newest, to `Thread n`. */
export async function twoDevices(
  { openWithCookie, newDevice, product }: Stage,
  count: number,
  isPhone = false,
): Promise<readonly [one: Person, two: Person]> {
  const guest = await newGuest(product().url)
  await product().kill9()
  insertThreads(product(), guest.userId, count)
  await product().restart()
  const two = await openWithCookie(guest)
  const one = isPhone ? await newDevice(two, { phone: true }) : await newDevice(two)
  await one.open()
  if (isPhone) await one.page.getByRole('button', { name: 'Open sidebar' }).click()
  await linkOf(one, 1).waitFor()
  await linkOf(two, 1).waitFor()
  return [one, two]
}

export const linkOf = ({ threads }: Person, n: number) => threads.getByRole('link', { name: `Thread ${n}`, exact: true })
export const boxOf = ({ threads }: Person, n: number) => threads.getByRole('checkbox', { name: `Thread ${n}`, exact: true })
export const barOf = ({ page }: Person) => page.getByRole('toolbar', { name: 'Selected threads' })
export const countOf = (person: Person) => barOf(person).getByRole('status').innerText()
export const act = (person: Person, name: string) => barOf(person).getByRole('button', { name }).click()
export const toasts = ({ page }: Person, text: string) => page.getByRole('listitem').filter({ hasText: text })
export const selected = async ({ threads }: Person) => threads.getByRole('checkbox', { checked: true }).allInnerTexts()
export const undo = (person: Person, text: string) => toasts(person, text).getByRole('button', { name: 'Undo' }).click()
