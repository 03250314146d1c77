/** A selection in the sidebar by keyboard, pointer and touch. Each action is undone as one, and the second device shows each change. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { maxThreadsPerMutation } from '../../worker/contract/limits.ts'
import { newGuest } from '../support/guest.ts'
import { expectRows, focused, isFocused } from './keys.ts'
import { insertThreads } from './past-threads.ts'
import type { Person } from './person.ts'
import { setStage, show } from './stage.ts'

const { browse, meetAgain, product } = setStage()

/** Two devices of a guest with threads `Thread 1`, the newest, to `Thread n`. */
async function twoDevices(count: number, isPhone = false): Promise<readonly [one: Person, two: Person]> {
  const guest = await newGuest(product().url)
  await product().kill9()
  insertThreads(product(), guest.userId, count)
  await product().restart()
  const two = await browse(guest)
  const one = isPhone ? await meetAgain(two, { phone: true }) : await meetAgain(two)
  await one.open()
  if (isPhone) await one.page.getByRole('button', { name: 'Open sidebar' }).click()
  await linkOf(one, 1).waitFor()
  await linkOf(two, 1).waitFor()
  return [one, two]
}

const linkOf = ({ threads }: Person, n: number) => threads.getByRole('link', { name: `Thread ${n}`, exact: true })
const boxOf = ({ threads }: Person, n: number) => threads.getByRole('checkbox', { name: `Thread ${n}`, exact: true })
const barOf = ({ page }: Person) => page.getByRole('toolbar', { name: 'Selected threads' })
const countOf = (person: Person) => barOf(person).getByRole('status').innerText()
const act = (person: Person, name: string) => barOf(person).getByRole('button', { name }).click()
const toasts = ({ page }: Person, text: string) => page.getByRole('listitem').filter({ hasText: text })
const selected = async ({ threads }: Person) => threads.getByRole('checkbox', { checked: true }).allInnerTexts()
const undo = (person: Person, text: string) => toasts(person, text).getByRole('button', { name: 'Undo' }).click()

async function createProject({ page }: Person, name: string): Promise<void> {
  await page.goto('/projects')
  await page.getByRole('button', { name: 'New project' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name }).waitFor()
}

const inMode = (page: Page, mode: 'light' | 'dark') =>
  page.evaluate((name) => {
    document.documentElement.classList.remove('light', 'dark')
    document.documentElement.classList.add(name)
  }, mode)

test('selects by keyboard and archives; undo restores all of them on both devices', async () => {
  const [one, two] = await twoDevices(6)
  const { keyboard } = one.page
  await linkOf(one, 2).focus()
  await keyboard.press('Control+Enter')
  await expect.poll(() => isFocused(boxOf(one, 2))).toBe(true)
  for (const key of ['Shift+ArrowDown', 'Shift+ArrowDown', 'Shift+ArrowUp', 'ArrowDown', 'ArrowDown', 'Space']) await keyboard.press(key)
  await expect.poll(() => selected(one)).toEqual(['Thread 2', 'Thread 3', 'Thread 5'])
  expect(await countOf(one)).toBe('3 selected')
  for (const mode of ['light', 'dark'] as const) {
    await inMode(one.page, mode)
    await show(one, `selection-1440-${mode}`)
  }
  await keyboard.press('Tab')
  await expect.poll(focused(one.page)).toBe('End selection')
  const toArchive = ['Select all', 'Move to project…', 'Archive'] as const
  await expectRows(
    one.page,
    toArchive.map((name) => ['ArrowRight', name]),
    focused(one.page),
  )
  await keyboard.press('Enter')
  for (const person of [one, two]) {
    await linkOf(person, 2).waitFor({ state: 'detached' })
    expect(await linkOf(person, 5).count()).toBe(0)
    await linkOf(person, 4).waitFor()
  }
  // The link of a thread that is still listed.
  await expect.poll(focused(one.page)).toMatch(/^Thread \d$/)
  await undo(one, '3 threads archived')
  for (const person of [one, two]) for (const n of [2, 3, 5]) await linkOf(person, n).waitFor()

  await linkOf(one, 3).press('Control+Enter')
  await expect.poll(() => isFocused(boxOf(one, 3))).toBe(true)
  await boxOf(one, 3).press('Control+a')
  await expect.poll(() => countOf(one)).toBe('6 selected')
  await boxOf(one, 3).press('Escape')
  await expect.poll(() => isFocused(linkOf(one, 3))).toBe(true)
  expect(await barOf(one).count()).toBe(0)
})

test('selects by Control and Shift, and moves to a project and back to where each thread was', async () => {
  const [one, two] = await twoDevices(6)
  await createProject(one, 'Tea shop')
  const inProject = two.page.getByRole('main').getByRole('listitem')
  await two.page.getByRole('link', { name: 'Projects' }).click()
  await two.page.getByRole('main').getByRole('link', { name: 'Tea shop' }).click()

  await linkOf(one, 2).click({ modifiers: ['Control'] })
  await act(one, 'Move to project…')
  await one.page.getByRole('dialog').getByRole('button', { name: 'Tea shop' }).click()
  await expect.poll(() => inProject.allInnerTexts()).toHaveLength(1)

  await linkOf(one, 1).click()
  // From the open thread to the pressed one.
  await linkOf(one, 3).click({ modifiers: ['Shift'] })
  await expect.poll(() => selected(one)).toEqual(['Thread 1', 'Thread 2', 'Thread 3'])
  await boxOf(one, 5).click({ modifiers: ['Control'] })
  await boxOf(one, 1).click()
  await boxOf(one, 1).click({ modifiers: ['Shift'] })
  await boxOf(one, 2).click()
  await expect.poll(() => selected(one)).toEqual(['Thread 1', 'Thread 3', 'Thread 5'])
  await boxOf(one, 2).click()
  await act(one, 'Move to project…')
  await one.page.getByRole('dialog').getByRole('button', { name: 'Tea shop' }).click()
  await expect.poll(() => inProject.count()).toBe(4)
  await undo(one, '4 threads moved to Tea shop')
  await expect.poll(() => inProject.count()).toBe(1)
  expect(await inProject.innerText()).toContain('Thread 2')
})

test('selects by touch and deletes more threads than one mutation takes; the other device undoes it as one', async () => {
  const count = maxThreadsPerMutation + 5
  const [phone, desk] = await twoDevices(count, true)
  await phone.threads.getByRole('button', { name: 'More for Thread 3', exact: true }).tap()
  await phone.page.getByRole('menuitem', { name: 'Select' }).tap()
  await boxOf(phone, 5).tap()
  await expect.poll(() => countOf(phone)).toBe('2 selected')
  for (const mode of ['light', 'dark'] as const) {
    await inMode(phone.page, mode)
    await show(phone, `selection-390-${mode}`)
  }
  // A selected thread that another device deletes leaves the selection.
  await linkOf(desk, 5).hover()
  await desk.threads.getByRole('button', { name: 'More for Thread 5', exact: true }).click()
  await desk.page.getByRole('menuitem', { name: 'Delete' }).click()
  await expect.poll(() => countOf(phone)).toBe('1 selected')
  await undo(desk, 'Thread deleted')
  await expect.poll(() => countOf(phone)).toBe('2 selected')

  await act(phone, 'Select all')
  await expect.poll(() => countOf(phone)).toBe(`${count} selected`)
  await act(phone, 'Delete')
  await desk.threads.getByText('No threads yet').waitFor()
  await toasts(desk, `${count} threads deleted`).waitFor()
  await expect.poll(() => toasts(desk, 'deleted').count()).toBe(1)
  // At once, because the offer ends after 30 seconds, which a slow machine needs for both devices.
  await undo(desk, `${count} threads deleted`)
  for (const person of [phone, desk]) {
    await toasts(person, 'deleted').waitFor({ state: 'detached' })
    await expect.poll(() => person.threads.getByRole('link').count()).toBe(count)
  }
})
