/** Messages found by search: the thread opens at the message with the words highlighted, until the user continues. */
import { expect, test } from 'vitest'
import { preloadedThreads } from '../../../worker/contract/preload-limits.ts'
import { openRecord } from '../../support/record-file.ts'
import { missedOf } from '../missed-of.ts'
import { insertThread, type PastMessage } from '../past-threads.ts'
import { atTop, restingPlace } from '../resting-place.ts'
import { pathOf, setStage, show } from '../stage.ts'
import type { UserPage } from '../user-page.ts'

const { openComposer, newDevice, product } = setStage()

const filling = (n: number) => Array.from({ length: 12 }, (_, line) => `Line ${line} of ${n}: nothing that anybody looks for.`).join('\n\n')

/** A long thread, one with two branches, and enough later ones that no browser holds them before they are opened. */
async function withLongAgo(guest: UserPage): Promise<(name: string) => string> {
  const { user } = await (await guest.page.request.get('/api/auth/get-session')).json()
  await product().kill9()
  const at = Date.now() - 1_000_000
  const idOf = (name: string) => `${name}-${user.id}`
  const path = Array.from({ length: 60 }, (_, n): PastMessage => {
    const text = n === 21 ? `${filling(n)}\n\nAt last a **zeph**yr, and the *other* sea.\n\n${filling(n)}` : filling(n)
    return { id: idOf(`long-${n}`), parentId: n === 0 ? null : idOf(`long-${n - 1}`), text, isAnswer: n % 2 === 1 }
  })
  const versions: readonly PastMessage[] = [
    { id: idOf('fork-0'), parentId: null, text: 'Which of the two?' },
    { id: idOf('fork-1'), parentId: idOf('fork-0'), text: 'The quicksilver one.', isAnswer: true },
    { id: idOf('fork-2'), parentId: idOf('fork-0'), text: 'Neither of them.', isAnswer: true },
  ]
  insertThread(product(), user.id, idOf('long'), 'Long ago', at, idOf('long-59'), path)
  insertThread(product(), user.id, idOf('fork'), 'Two ways', at + 1000, idOf('fork-1'), versions)
  for (let n = 1; n <= preloadedThreads; n++) {
    const [first, last] = [idOf(`later-${n}-0`), idOf(`later-${n}-1`)]
    insertThread(product(), user.id, idOf(`later-${n}`), `Later ${n}`, at + 10_000 * n, last, [
      { id: first, parentId: null, text: `Something else, ${n}.` },
      { id: last, parentId: first, text: filling(n), isAnswer: true },
    ])
  }
  await product().restart()
  await guest.open()
  await guest.threads.getByRole('link', { name: 'Long ago' }).waitFor()
  return idOf
}

/** Records the highlights since the page loaded, with a clock controlled by the test. */
const watchMarks = ({ context }: UserPage) =>
  context.addInitScript(() => {
    const page = globalThis as unknown as MarkedPage
    page.marked = []
    page.later = []
    const [set, setTimer] = [HighlightRegistry.prototype.set, globalThis.setTimeout]
    HighlightRegistry.prototype.set = function (name, highlight) {
      page.marked = [...highlight].map((range) => range.toString())
      return set.call(this, name, highlight)
    }
    const held = (run: () => void, ms?: number) => (ms === 8000 ? page.later.push(run) : setTimer(run, ms))
    globalThis.setTimeout = held as typeof setTimeout
  })

type MarkedPage = { marked: string[]; later: (() => void)[] }

const marked = ({ page }: UserPage) => page.evaluate(() => (globalThis as unknown as MarkedPage).marked)
const isMarked = ({ page }: UserPage) => page.evaluate(() => CSS.highlights.has('found-words'))
const passTime = ({ page }: UserPage) =>
  page.evaluate(() => {
    for (const run of (globalThis as unknown as MarkedPage).later) run()
  })

/** Waits until the database has the branch that another browser shows. */
const untilRecorded = async (threadId: string, headId: string) => {
  const record = openRecord(product().stateDir, true)
  const head = record.prepare('select headId from thread where id = ?')
  await expect.poll(() => head.get(threadId)?.headId).toBe(headId)
  record.close()
}

const look = async ({ page }: UserPage, words: string, found: RegExp) => {
  await page.locator('[aria-modal="true"]').waitFor({ state: 'detached' })
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search threads and commands' }).fill(words)
  const option = page.getByRole('option', { name: found })
  await option.waitFor()
  return option
}

/** True if the text is entirely inside the view of the conversation. */
const isInView = ({ conversation }: UserPage, text: string) =>
  conversation.evaluate((log, wanted) => {
    const [first] = [...log.querySelectorAll('p')].filter(({ textContent }) => textContent.includes(wanted))
    const [box, view] = [first?.getBoundingClientRect(), log.getBoundingClientRect()]
    return box !== undefined && box.top > view.top && box.bottom < view.bottom
  }, text)

const focusedTurn = ({ page }: UserPage) =>
  page.evaluate(() => document.activeElement?.closest('[data-message]')?.getAttribute('data-message') ?? null)

test('a thread opens at the found message with its words highlighted until the user continues, and later visits do not', async () => {
  const guest = await openComposer()
  await watchMarks(guest)
  const idOf = await withLongAgo(guest)

  await (await look(guest, 'zephyr other', /Long ago.*zephyr/)).click()
  await expect.poll(() => pathOf(guest)).toBe(`/${idOf('long')}`)
  await expect.poll(() => marked(guest)).toEqual(['zephyr', 'other'])
  await expect.poll(() => isInView(guest, 'At last a zephyr')).toBe(true)
  await expect.poll(() => focusedTurn(guest)).toBe(idOf('long-21'))
  await guest.page.getByRole('status').filter({ hasText: 'Opened at the message that was found' }).waitFor({ state: 'attached' })
  await restingPlace(guest)
  await expect.poll(() => isInView(guest, 'At last a zephyr')).toBe(true)
  await show(guest, 'found-in-a-long-thread')

  // Scrolling a little keeps the highlights, scrolling away removes them.
  const targetTop = await atTop(guest)
  await guest.conversation.hover()
  await guest.page.mouse.wheel(0, 60)
  await expect.poll(() => atTop(guest)).not.toBe(targetTop)
  await restingPlace(guest)
  expect(await isMarked(guest)).toBe(true)
  await guest.page.mouse.wheel(0, 3000)
  await expect.poll(() => isMarked(guest)).toBe(false)
  const place = await restingPlace(guest)

  // At the stored position without highlights: after a reload, and after going back.
  await guest.page.reload()
  await expect.poll(() => atTop(guest)).toBe(place)
  await guest.startThread()
  await guest.page.goBack()
  await expect.poll(() => atTop(guest)).toBe(place)
  expect(await marked(guest)).toEqual([])

  // In the thread that is already open, with the message in local storage.
  await guest.conversation.evaluate((log) => log.scrollTo({ top: log.scrollHeight }))
  await expect.poll(() => isInView(guest, 'At last a zephyr')).toBe(false)
  await (await look(guest, 'zephyr', /Long ago.*zephyr/)).click()
  await expect.poll(() => isInView(guest, 'At last a zephyr')).toBe(true)
  await expect.poll(() => isMarked(guest)).toBe(true)
  await guest.composer.fill('half a thought')
  await expect.poll(() => isMarked(guest)).toBe(false)
  await (await look(guest, 'zephyr', /Long ago.*zephyr/)).click()
  await expect.poll(() => isMarked(guest)).toBe(true)
  await passTime(guest)
  await expect.poll(() => isMarked(guest)).toBe(false)
})

test('a found message is shown on its branch; a notice reports a message that was deleted meanwhile', async () => {
  const guest = await openComposer()
  const idOf = await withLongAgo(guest)
  const other = await newDevice(guest)
  const answer = (text: string) => other.conversation.getByRole('article', { name: 'Answer' }).filter({ hasText: text })

  const quicksilver = await look(guest, 'quicksilver', /Two ways.*quicksilver/)
  await other.open(`/${idOf('fork')}`)
  await other.page.getByRole('button', { name: 'Next version' }).click()
  await answer('Neither of them.').waitFor()
  await untilRecorded(idOf('fork'), idOf('fork-2'))
  await quicksilver.click()
  await guest.conversation.getByText('The quicksilver one.').waitFor()
  await expect.poll(() => focusedTurn(guest)).toBe(idOf('fork-1'))
  await show(guest, 'found-on-another-branch')
  // Afterwards the user can switch branches.
  const [previous, next] = ['Previous version', 'Next version'].map((name) => guest.page.getByRole('button', { name }))
  await next?.click()
  await guest.conversation.getByText('Neither of them.').waitFor()
  await expect.poll(() => isMarked(guest)).toBe(false)
  await untilRecorded(idOf('fork'), idOf('fork-2'))
  await previous?.click()
  await answer('The quicksilver one.').waitFor()

  await guest.startThread()
  await look(guest, 'quicksilver', /Two ways.*quicksilver/)
  await answer('The quicksilver one.').hover()
  await answer('The quicksilver one.').getByRole('button', { name: 'More for this message' }).click()
  await other.page.getByRole('menuitem', { name: 'Delete', exact: true }).click()
  await answer('Neither of them.').waitFor()
  await untilRecorded(idOf('fork'), idOf('fork-2'))
  const missed = await missedOf(guest, 'body', ['This message is no longer available'])
  await quicksilver.click()
  await guest.conversation.getByText('Neither of them.').waitFor()
  await expect.poll(missed).toEqual([])
  await show(guest, 'found-and-gone')
})
