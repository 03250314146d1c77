/** A question in Search mode, as a person sees it: without any key, so the bundled stand-in answers the search. */
import { expect, onTestFinished, test } from 'vitest'
import { searchesPerDay } from '../../worker/contract/limits.ts'
import { startSearchPeer } from '../support/peers/search.ts'
import { startProduct } from '../support/product.ts'
import type { Person } from './person.ts'
import { setStage, show } from './stage.ts'

const { arrive } = setStage()

const chooseSearch = ({ page }: Person) => page.getByRole('radio', { name: 'Search', exact: true }).check({ force: true })

test('an answer shows what was searched and read, cites it with pills, and lists its sources', async () => {
  const guest = await arrive()
  await chooseSearch(guest)
  await show(guest, 'composer')
  // Looked for from the first: what passes in a second may be over before a busy machine says that the message is sent.
  const passing = ['Reading library.parley.example…', 'why do the tides follow the moon']
  const seen = Promise.all(passing.map((text) => guest.conversation.getByText(text, { exact: true }).waitFor()))
  await Promise.all([seen, guest.send('/demo delay=25 search=why do the tides follow the moon')])
  await show(guest, 'running')
  await guest.untilAnswered()
  const work = guest.conversation.getByRole('button', { name: 'Searched the web · read 2 pages' })
  expect(await work.getAttribute('aria-expanded')).toBe('false')
  await work.click()
  await guest.conversation.getByText('library.parley.example · 2026-03-14').first().waitFor()
  const pill = guest.conversation.getByRole('link', { name: /^Source 1: Why the tides come twice a day/ }).first()
  expect(await pill.getAttribute('href')).toBe('https://library.parley.example/tides')
  const sources = guest.conversation.getByRole('region', { name: 'Sources' })
  await sources.getByRole('link', { name: 'Why the tides come twice a day' }).waitFor()
  await show(guest, 'answered')
  // The thread goes on in the same mode, and one of the day's searches is gone.
  expect(await guest.page.getByRole('radio', { name: 'Search', exact: true }).isChecked()).toBe(true)
  await guest.page.locator(`[data-tooltip="Search the web · ${searchesPerDay.guest - 1} of ${searchesPerDay.guest} left today"]`).waitFor()
  await guest.page.reload()
  await guest.conversation.getByRole('button', { name: 'Searched the web · read 2 pages' }).waitFor()
  await sources.getByRole('link', { name: 'Why the tides come twice a day' }).waitFor()
})

test('a failed search is said and costs no search; one that finds nothing is something else', async () => {
  const guest = await arrive({ phone: true })
  const left = (count: number) => guest.page.locator(`[data-tooltip="Search the web · ${count} of ${searchesPerDay.guest} left today"]`)
  await chooseSearch(guest)
  await guest.send('/demo delay=0 search=fail please')
  await guest.untilAnswered()
  await guest.conversation.getByRole('button', { name: 'Search failed' }).click()
  await guest.conversation.getByText('The search failed: the stand-in was told to fail.').first().waitFor()
  await left(searchesPerDay.guest).waitFor()
  await show(guest, 'failed')
  await guest.send('/demo delay=0 search=nothing at all')
  await guest.conversation.getByText('The search worked and found nothing.').waitFor()
  await guest.untilAnswered()
  await guest.conversation.getByRole('button', { name: 'Searched the web' }).click()
  await guest.conversation.getByText('No results').waitFor()
  await left(searchesPerDay.guest - 1).waitFor()
})

test('the day has five searches for a guest; then the switch says so, and the next message goes as chat', async () => {
  const guest = await arrive()
  await chooseSearch(guest)
  for (let search = 1; search <= searchesPerDay.guest; search++) {
    await guest.send(`/demo delay=0 search=tea ${search}`)
    await expect.poll(() => guest.answers()).toBe(search)
    await guest.untilAnswered()
  }
  const option = guest.page.getByRole('radio', { name: 'Search', exact: true })
  await guest.page.locator('[data-tooltip="You have reached your daily limit"]').waitFor()
  expect(await option.getAttribute('aria-disabled')).toBe('true')
  expect(await guest.page.getByRole('radio', { name: 'Chat' }).isChecked()).toBe(true)
  await guest.send('/demo chunks=3 delay=0')
  await expect.poll(() => guest.answer()).toContain('word3')
})

test('with a search service connected: its results, its failures, and pages that cannot be reached', async () => {
  const results = [
    { title: 'The tide', url: 'https://page.invalid/tide', publishedDate: '2026-02-03T00:00:00.000Z', text: 'The sea rises twice a day.' },
    { title: 'Inside', url: 'http://169.254.169.254/latest/', text: 'An address of a network.' },
  ]
  const peer = await startSearchPeer((query) =>
    query.startsWith('broken') ? { kind: 'status', status: 500 } : { kind: 'results', results },
  )
  const connected = await startProduct({ env: { SEARCH_URL: peer.url, SEARCH_API_KEY: peer.key } })
  onTestFinished(async () => {
    await connected.stop()
    await peer.stop()
  })
  const guest = await arrive({ url: connected.url })
  const left = (count: number) => guest.page.locator(`[data-tooltip="Search the web · ${count} of ${searchesPerDay.guest} left today"]`)
  await chooseSearch(guest)
  await guest.send('/demo delay=0 search=broken')
  await guest.untilAnswered()
  await guest.conversation.getByRole('button', { name: 'Search failed' }).click()
  await guest.conversation.getByText('The search failed: the search service reported an error (500).').first().waitFor()
  await left(searchesPerDay.guest).waitFor()
  await guest.send('/demo delay=0 search=tide')
  await guest.conversation.getByRole('button', { name: 'Searched the web · could not read 2 pages' }).click()
  await guest.conversation.getByText('page.invalid · 2026-02-03').waitFor()
  expect(await guest.conversation.getByText('This address is not on the public internet.').count()).toBeGreaterThanOrEqual(2)
  await guest.untilAnswered()
  await left(searchesPerDay.guest - 1).waitFor()
  expect(peer.asked.map(({ query }) => query)).toEqual(['broken', 'tide'])
})
