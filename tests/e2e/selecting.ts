/** Selections in the sidebar of two devices. */
import { newGuest } from '../support/guest.ts'
import { insertThreads } from './past-threads.ts'
import type { Stage } from './stage.ts'
import type { UserPage } from './user-page.ts'

/** Two devices of a guest with threads `Thread 1`, the newest, to `Thread n`. */
export async function twoDevices(
  { openWithCookie, newDevice, product }: Stage,
  count: number,
  isPhone = false,
): Promise<readonly [one: UserPage, two: UserPage]> {
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

/** The name of a row may continue with the name of its project. */
const titleOf = (n: number) => new RegExp(`^Thread ${n}(?!\\d)`)
export const linkOf = ({ threads }: UserPage, n: number) => threads.getByRole('link', { name: titleOf(n) })
export const boxOf = ({ threads }: UserPage, n: number) => threads.getByRole('checkbox', { name: titleOf(n) })
export const barOf = ({ page }: UserPage) => page.getByRole('toolbar', { name: 'Selected threads' })
export const countOf = (user: UserPage) => barOf(user).getByRole('status').innerText()
export const act = (user: UserPage, name: string) => barOf(user).getByRole('button', { name }).click()
export const toasts = ({ page }: UserPage, text: string) => page.getByRole('listitem').filter({ hasText: text })
export const selected = async ({ threads }: UserPage) => threads.getByRole('checkbox', { checked: true }).allInnerTexts()
export const undo = (user: UserPage, text: string) => toasts(user, text).getByRole('button', { name: 'Undo' }).click()
