/** A question in Search mode in the browser. Without keys, so the bundled stand-in answers the search. */
import { expect, test } from 'vitest'
import { searchesPerDay } from '../../worker/contract/limits.ts'
import { missedOf } from './missed-of.ts'
import { setStage, show } from './stage.ts'
import { chooseMode, optionsButton, type UserPage } from './user-page.ts'

const { openComposer } = setStage()

const chooseSearch = (user: UserPage) => chooseMode(user, 'Search')

test('an answer shows its searches and pages, cites them with pills, and lists its sources', async () => {
  const guest = await openComposer()
  await chooseSearch(guest)
  await show(guest, 'composer')
  const question = '/demo delay=25 search=why do the tides follow the moon'
  const passing = ['Searching the web…', 'Reading library.parley.example…']
  const missed = await missedOf(guest, '[role=log]', passing)
  await guest.send(question)
  await show(guest, 'running')
  await guest.untilAnswered()
  const work = guest.conversation.getByRole('button', { name: 'Searched the web · read 2 pages' })
  await expect.poll(() => work.getAttribute('aria-expanded')).toBe('false')
  await work.click()
  await guest.conversation.getByText('why do the tides follow the moon', { exact: true }).waitFor()
  await guest.conversation.getByText('library.parley.example · 2026-03-14').first().waitFor()
  const pill = guest.conversation.getByRole('link', { name: /^Source 1: Why the tides come twice a day/ }).first()
  expect(await pill.getAttribute('href')).toBe('https://library.parley.example/tides')
  await pill.hover()
  const card = guest.page.locator('[role="tooltip"]')
  await expect.poll(() => card.innerText()).toMatch(/^Why the tides come twice a day\s+library\.parley\.example\s+\S+ \S+/)
  await show(guest, 'citation')
  const sources = guest.conversation.getByRole('region', { name: 'Sources' })
  await sources.getByRole('link', { name: 'Why the tides come twice a day' }).waitFor()
  await show(guest, 'answered')
  // The thread keeps the mode, and the daily searches decrease by one.
  await expect.poll(() => guest.page.getByRole('radio', { name: 'Search', exact: true }).isChecked()).toBe(true)
  await guest.page.locator(`[data-tooltip="Search the web · ${searchesPerDay.guest - 1} of ${searchesPerDay.guest} left today"]`).waitFor()
  // Also without hover.
  await guest.page
    .getByText(`${searchesPerDay.guest - 1} left`, { exact: true })
    .filter({ visible: true })
    .waitFor()
  // A busy machine may not render a state that lasts a third of a second: the test repeats the question.
  for (let asked = 2; asked <= searchesPerDay.guest && (await missed()).length > 0; asked++) {
    await guest.send(question)
    await expect.poll(() => guest.answers()).toBe(asked)
    await guest.untilAnswered()
  }
  expect(await missed()).toEqual([])
  await guest.page.reload()
  await work.first().waitFor()
  await sources.getByRole('link', { name: 'Why the tides come twice a day' }).first().waitFor()
})

test('a failed search is reported and free; a search without results differs from it', async () => {
  const guest = await openComposer({ phone: true })
  const left = (count: number) => guest.page.getByText(`${count} left`, { exact: true }).filter({ visible: true })
  await chooseSearch(guest)
  await guest.send('/demo delay=0 search=fail please')
  await guest.untilAnswered()
  await guest.conversation.getByRole('button', { name: 'Search failed' }).click()
  await guest.conversation.getByText('The search failed: the stand-in fails on request.').first().waitFor()
  await left(searchesPerDay.guest).waitFor()
  await show(guest, 'failed')
  await guest.send('/demo delay=0 search=nothing at all')
  await guest.conversation.getByText('The search worked and found nothing.').waitFor()
  await guest.untilAnswered()
  await guest.conversation.getByRole('button', { name: 'Searched the web' }).click()
  await guest.conversation.getByText('No results').waitFor()
  await left(searchesPerDay.guest - 1).waitFor()
  // An edited message keeps its mode, and the selected mode is restored afterwards.
  await chooseMode(guest, 'Chat')
  await guest.conversation.getByRole('button', { name: 'Edit', exact: true }).first().click()
  await optionsButton(guest, 'Search').waitFor()
  await guest.page.getByRole('button', { name: 'Cancel editing' }).click()
  await optionsButton(guest, 'Chat').waitFor()
})

test('a guest has five searches a day; then queued, new and regenerated messages state that they are sent as chat', async () => {
  const guest = await openComposer({ phone: true })
  await chooseSearch(guest)
  for (let search = 1; search < searchesPerDay.guest; search++) {
    await guest.send(`/demo delay=0 search=tea ${search}`)
    await expect.poll(() => guest.answers()).toBe(search)
    await guest.untilAnswered()
  }
  await chooseMode(guest, 'Chat')
  await guest.send('/demo silent')
  await guest.page.getByRole('button', { name: 'Stop generating' }).waitFor()
  await chooseSearch(guest)
  const queued = guest.conversation.getByRole('article', { name: 'Queued message' })
  for (const text of ['/demo delay=0 search=tea at last', '/demo delay=0 say=As a chat']) {
    await guest.composer.fill(text)
    await guest.composer.press('Enter')
    await queued.filter({ hasText: text }).getByText('Search', { exact: true }).waitFor()
  }
  await guest.page.getByRole('button', { name: 'Stop generating' }).click()
  await guest.page.getByRole('button', { name: 'Send now' }).click()
  await guest.conversation.getByText(/Daily limit for this mode reached\. Sent automatically after the reset at \d/).waitFor()
  await show(guest, 'held')
  await guest.page.getByRole('button', { name: 'Send in Chat mode' }).click()
  await expect.poll(() => guest.answer()).toContain('As a chat')
  await guest.untilAnswered()
  await optionsButton(guest, 'Chat').waitFor()
  const notice = guest.page.getByText(/^Daily limit for this mode reached\. Limit resets at .+\. This will be sent in Chat mode\.$/)
  await notice.waitFor()
  await guest.conversation.getByText('without search').last().waitFor()
  await show(guest, 'spent')
  await guest.send('/demo chunks=3 delay=0')
  await expect.poll(() => guest.answer()).toContain('word3')
  // For as long as Search is selected.
  await guest.page.getByRole('button', { name: 'Switch to Chat' }).tap()
  await notice.waitFor({ state: 'detached' })
})
