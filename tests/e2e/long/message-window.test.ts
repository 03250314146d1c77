/** Threads that are longer than the window of messages that a page loads. */
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { insertThread, type PastMessage } from '../past-threads.ts'
import { atTop, restingPlace } from '../resting-place.ts'
import { pathOf, setStage, show } from '../stage.ts'
import type { UserPage } from '../user-page.ts'

const { openComposer, newDevice, product } = setStage()

const filling = (n: number) => Array.from({ length: 6 }, (_, line) => `Line ${line} of message ${n}.`).join('\n\n')

/** A path of `count` messages from the root. */
const pathOfMessages = (count: number, idOf: (n: number) => string) =>
  Array.from({ length: count }, (_, n): PastMessage => {
    return { id: idOf(n), parentId: n === 0 ? null : idOf(n - 1), text: filling(n), isAnswer: n % 2 === 1 }
  })

async function restartWith(guest: UserPage, insert: (userId: string) => void): Promise<string> {
  const { user } = await (await guest.page.request.get('/api/auth/get-session')).json()
  await product().kill9()
  insert(user.id)
  await product().restart()
  return user.id
}

const heightPx = ({ conversation }: UserPage) => conversation.evaluate((log) => log.scrollHeight)
const topOf = ({ conversation }: UserPage) => conversation.evaluate((log) => log.scrollTop)
/** An answer by its first line. */
const message = ({ conversation }: UserPage, n: number) => conversation.getByText(`Line 0 of message ${n}.`, { exact: true })

/** The first visible turn and its offset, read in the task that scrolls the view. */
const scrollTo = ({ conversation }: UserPage, topPx: number) =>
  conversation.evaluate((log, top) => {
    log.scrollTop = top
    const edge = log.getBoundingClientRect().top
    const turn = [...log.querySelectorAll('[data-message]')].find((element) => element.getBoundingClientRect().bottom > edge)
    return `${turn?.getAttribute('data-message')} ${Math.round((turn?.getBoundingClientRect().top ?? 0) - edge)}`
  }, topPx)

/** Scrolls again while turns that were not measured before change their height. */
const scrollUntil = async (user: UserPage, topPx: number, shown: Locator) => {
  const isShown = async () => {
    await scrollTo(user, topPx)
    return shown.isVisible()
  }
  await expect.poll(isShown).toBe(true)
}

test('a long thread opens with its newest messages, loads older ones above, and keeps the scroll position', async () => {
  const guest = await openComposer()
  const idIn = (userId: string) => (n: number) => `long-${n}-${userId}`
  const userId = await restartWith(guest, (id) =>
    insertThread(product(), id, `long-${id}`, 'A long one', Date.now() - 1_000_000, idIn(id)(239), pathOfMessages(240, idIn(id))),
  )
  const requested: string[] = []
  guest.page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => void requested.push(...(String(payload).match(/"limit":\d+/g) ?? []))),
  )
  await guest.open(`/long-${userId}`)
  await message(guest, 239).waitFor()
  await show(guest, 'long-thread-end')
  // Nothing older loads before the user scrolls.
  expect(requested).not.toContain('"limit":100')

  for (let limit = 100; limit <= 400; limit *= 2) {
    // In steps, so that every turn at the upper edge renders.
    for (let topPx = await topOf(guest); topPx > 3000; topPx = await topOf(guest)) {
      await scrollTo(guest, Math.max(2900, topPx - 600))
      await restingPlace(guest)
    }
    const before = await heightPx(guest)
    const place = await scrollTo(guest, 2400)
    await expect.poll(() => requested).toContain(`"limit":${limit}`)
    await expect.poll(() => heightPx(guest)).toBeGreaterThan(before)
    await expect.poll(() => atTop(guest)).toBe(place)
  }
  // A position outside of the first window is restored.
  const place = await restingPlace(guest)
  await guest.page.reload()
  await expect.poll(() => atTop(guest)).toBe(place)
  await scrollUntil(guest, 0, message(guest, 1))
  await show(guest, 'long-thread-beginning')

  await guest.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const fresh = await newDevice(guest)
  await fresh.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await fresh.open(`/long-${userId}`)
  await message(fresh, 239).waitFor()
  const choose = async (words: string, option: RegExp) => {
    await fresh.page.keyboard.press('Control+k')
    await fresh.page.getByRole('combobox', { name: 'Search threads and commands' }).fill(words)
    await fresh.page.getByRole('option', { name: option }).click()
  }
  // From a page that holds only the end of the thread.
  await choose('copy thread', /Copy thread/)
  const copied = () => fresh.page.evaluate(() => navigator.clipboard.readText())
  await expect.poll(copied).toMatch(/Line 0 of message 0\.[\s\S]*Line 5 of message 239\./)
  await choose('fork thread', /Fork thread/)
  await expect.poll(() => pathOf(fresh)).not.toBe(`/long-${userId}`)
  await fresh.page.getByRole('heading', { name: 'A long one (fork)' }).waitFor()
  await message(fresh, 239).waitFor()
})

test('versions of the first question are complete, and a version outside of the window is shown with its branch', async () => {
  const guest = await openComposer()
  const userId = await restartWith(guest, (id) => {
    const oldId = (n: number) => `old-${n}-${id}`
    const newId = (n: number) => `new-${n}-${id}`
    const old = pathOfMessages(80, oldId)
    const edited: readonly PastMessage[] = [
      { id: newId(0), parentId: null, text: 'The edited question.' },
      ...Array.from({ length: 60 }, (_, n) => ({ id: newId(n + 1), parentId: newId(n), text: `Edited ${n}.`, isAnswer: n % 2 === 0 })),
    ]
    insertThread(product(), id, `edited-${id}`, 'Edited', Date.now() - 1_000_000, newId(60), [...old, ...edited])
  })
  await guest.open(`/edited-${userId}`)
  await guest.conversation.getByText('Edited 59.', { exact: true }).waitFor()
  const question = guest.conversation.getByRole('article', { name: 'Your message' }).filter({ hasText: 'The edited question.' })
  // A position outside of the first window is restored.
  const place = await restingPlace(guest)
  await guest.page.reload()
  await expect.poll(() => atTop(guest)).toBe(place)
  await scrollUntil(guest, 0, question)
  await question.getByText('Version 2 of 2').waitFor()
  await question.hover()
  await guest.page.getByRole('button', { name: 'Previous version' }).first().click()
  await message(guest, 1).waitFor()
  await guest.conversation.getByText('Version 1 of 2').waitFor()
  await show(guest, 'older-branch')
  await scrollUntil(guest, Number.MAX_SAFE_INTEGER, message(guest, 79))
})
