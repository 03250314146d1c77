// The menu "Tools": switches that a thread and a project store, and Search and Research for one message, by menu and by command.
import { expect, test } from 'vitest'
import { searchesPerDay } from '../../worker/contract/limits.ts'
import { unlimitedWrites } from '../support/product.ts'
import { problemsOf } from './axe.ts'
import { pathOf, setStage, show } from './stage.ts'
import { chooseMode, optionsButton, toolsButton, type UserPage, untilMode } from './user-page.ts'

const { newDevice, openComposer } = setStage({ product: { env: unlimitedWrites } })

const web = ({ page }: UserPage) => page.getByRole('menuitemcheckbox', { name: /^Web/ })
const searched = ({ conversation }: UserPage) => conversation.getByRole('button', { name: /^Searched the web/ })

test('the web is switched off by keyboard for a new thread, stays off on every device, and is switched on again', async () => {
  const desk = await openComposer()
  await toolsButton(desk).press('Enter')
  await web(desk)
    .and(desk.page.getByRole('menuitemcheckbox', { checked: true }))
    .waitFor()
  await show(desk, 'tools-menu')
  expect(await problemsOf(desk)).toEqual([])
  await web(desk).press('Enter')
  // The menu stays open: several sources can be switched one after the other.
  await web(desk)
    .and(desk.page.getByRole('menuitemcheckbox', { checked: false }))
    .waitFor()
  await desk.page.keyboard.press('Escape')
  await expect.poll(() => toolsButton(desk).getAttribute('aria-description')).toBe('All tools are off')
  await expect.poll(() => toolsButton(desk).evaluate((button) => button === document.activeElement)).toBe(true)
  expect(await problemsOf(desk)).toEqual([])
  await show(desk, 'tools-off')

  await desk.send('/demo delay=0 say=Without search=tea')
  await desk.untilAnswered()
  expect(await desk.answer()).toContain('Without')
  expect(await searched(desk).count()).toBe(0)

  const phone = await newDevice(desk, { phone: true })
  await phone.open(pathOf(desk))
  await optionsButton(phone).tap()
  await web(phone)
    .and(phone.page.getByRole('menuitemcheckbox', { checked: false }))
    .waitFor()
  await show(phone, 'tools-menu-phone')
  await web(phone).tap()
  await web(phone)
    .and(phone.page.getByRole('menuitemcheckbox', { checked: true }))
    .waitFor()
  await phone.page.keyboard.press('Escape')

  await expect.poll(() => toolsButton(desk).getAttribute('aria-description')).toBe('Web')
  await desk.send('/demo delay=0 search=tea')
  await searched(desk).waitFor()
  await desk.untilAnswered()
  await toolsButton(desk).click()
  await desk.page.getByRole('menuitemcheckbox', { name: `Web ${searchesPerDay.guest - 1} left` }).waitFor()
})

test('a project remembers the choice for its new threads, and a thread changes it for itself', async () => {
  const guest = await openComposer()
  const { page } = guest
  await page.goto('/projects')
  await page.getByRole('button', { name: 'New project', exact: true }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Tea shop')
  await page.getByRole('switch', { name: 'Search the web' }).click()
  await show(guest, 'tools-project')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('heading', { name: 'Tea shop' }).waitFor()
  await expect.poll(() => toolsButton(guest).getAttribute('aria-description')).toBe('All tools are off')
  await guest.send('/demo delay=0 say=Without search=tea')
  await guest.untilAnswered()
  expect(await searched(guest).count()).toBe(0)
  await toolsButton(guest).click()
  await web(guest).click()
  await page.keyboard.press('Escape')
  await guest.send('/demo delay=0 search=tea')
  await searched(guest).waitFor()
  await guest.untilAnswered()
  await guest.startThread()
  await expect.poll(() => toolsButton(guest).getAttribute('aria-description')).toBe('Web')
})

test('a search is forced for one message: by the menu, by the list of commands, and by typing the command', async () => {
  const guest = await openComposer()
  const { page, composer } = guest
  await chooseMode(guest, 'Search')
  await show(guest, 'tools-search')
  expect(await problemsOf(guest)).toEqual([])
  await chooseMode(guest, null)

  await composer.focus()
  await page.keyboard.type('/sea')
  await page.getByRole('option', { name: /^Search/ }).waitFor()
  await show(guest, 'tools-commands')
  await page.keyboard.press('Enter')
  await untilMode(guest, 'Search')
  await expect.poll(() => composer.inputValue()).toBe('')
  await page.getByRole('button', { name: 'Remove Search' }).click()
  await untilMode(guest, null)

  await composer.focus()
  await page.keyboard.type('/search how bread rises')
  await untilMode(guest, 'Search')
  await expect.poll(() => composer.inputValue()).toBe('how bread rises')
  await page.keyboard.press('Enter')
  await searched(guest).waitFor()
  await guest.untilAnswered()
  // Only for that message.
  await untilMode(guest, null)
})

test('a command with its message can be pasted, and Research opens the offer for a guest', async () => {
  const guest = await openComposer({ phone: true })
  const { page, composer } = guest
  await composer.fill('/search the moon')
  await untilMode(guest, 'Search')
  await expect.poll(() => composer.inputValue()).toBe('the moon')
  await show(guest, 'tools-search-phone')
  await composer.fill('/res')
  await page.getByRole('option', { name: /^Research/ }).tap()
  await page.getByRole('dialog', { name: 'Upgrade to PRO' }).waitFor()
})
