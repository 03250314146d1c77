/** A selection in the sidebar by keyboard and touch. Each action is undone as one, and the second device shows each change. */
import { expect, test } from 'vitest'
import { maxThreadsPerMutation } from '../../worker/contract/limits.ts'
import { expectRows, focused, isFocused } from './keys.ts'
import { act, barOf, boxOf, countOf, linkOf, selected, toasts, twoDevices, undo } from './selecting.ts'
import { inMode, setStage, show } from './stage.ts'

const stage = setStage()

test('selects by keyboard and archives; undo restores all of them on both devices', async () => {
  const [one, two] = await twoDevices(stage, 6)
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
  for (const user of [one, two]) {
    await linkOf(user, 2).waitFor({ state: 'detached' })
    expect(await linkOf(user, 5).count()).toBe(0)
    await linkOf(user, 4).waitFor()
  }
  // The link of a thread that is still listed.
  await expect.poll(focused(one.page)).toMatch(/^Thread \d$/)
  await undo(one, '3 threads archived')
  for (const user of [one, two]) for (const n of [2, 3, 5]) await linkOf(user, n).waitFor()

  await linkOf(one, 3).press('Control+Enter')
  await expect.poll(() => isFocused(boxOf(one, 3))).toBe(true)
  await boxOf(one, 3).press('Control+a')
  await expect.poll(() => countOf(one)).toBe('6 selected')
  await boxOf(one, 3).press('Escape')
  await expect.poll(() => isFocused(linkOf(one, 3))).toBe(true)
  expect(await barOf(one).count()).toBe(0)
})

test('selects by touch and deletes more threads than one mutation takes; the other device undoes it as one', async () => {
  const count = maxThreadsPerMutation + 5
  const [phone, desk] = await twoDevices(stage, count, true)
  await phone.threads.getByRole('button', { name: 'More for Thread 3', exact: true }).tap()
  await phone.page.getByRole('menuitem', { name: 'Select' }).tap()
  await boxOf(phone, 5).tap()
  await expect.poll(() => countOf(phone)).toBe('2 selected')
  for (const mode of ['light', 'dark'] as const) {
    await inMode(phone.page, mode)
    await show(phone, `selection-390-${mode}`)
  }
  // A selected thread that another device deletes leaves the selection. The phone loads its toasts only after the undo.
  const region = Promise.withResolvers<void>()
  await phone.page.route('**/assets/toast-region-*.js', (route) => region.promise.then(() => route.continue()))
  await linkOf(desk, 5).hover()
  await desk.threads.getByRole('button', { name: 'More for Thread 5', exact: true }).click()
  await desk.page.getByRole('menuitem', { name: 'Delete' }).click()
  await expect.poll(() => countOf(phone)).toBe('1 selected')
  await undo(desk, 'Thread deleted')
  await expect.poll(() => countOf(phone)).toBe('2 selected')
  region.resolve()

  await act(phone, 'Select all')
  await expect.poll(() => countOf(phone)).toBe(`${count} selected`)
  await act(phone, 'Delete')
  await desk.threads.getByText('No threads yet').waitFor()
  await toasts(desk, `${count} threads deleted`).waitFor()
  await expect.poll(() => toasts(desk, 'deleted').count()).toBe(1)
  // At once, because the offer ends after 30 seconds, which a slow machine needs for both devices.
  await undo(desk, `${count} threads deleted`)
  for (const user of [phone, desk]) {
    await toasts(user, 'deleted').waitFor({ state: 'detached' })
    await expect.poll(() => user.threads.getByRole('link').count()).toBe(count)
  }
})
