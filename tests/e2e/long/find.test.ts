// Filters of the search, find in thread, quotations and bookmarks, by keyboard on a desktop and on a phone.
import type { Locator } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { insertThread, type PastMessage } from '../past-threads.ts'
import { pathOf, setStage, show } from '../stage.ts'
import { chooseForMessage, type UserPage, untilDrawn } from '../user-page.ts'

const { newUser, newDevice, product } = setStage()

const filling = (n: number) => Array.from({ length: 6 }, (_, line) => `Line ${line} of ${n}: nothing that anybody looks for.`).join('\n\n')

/** Messages with the word that the tests look for: two in one message, and one above the loaded window. */
const found: Readonly<Record<number, string>> = { 3: 'a zephyr', 21: 'a **zeph**yr, and a Zephyr again', 58: 'the last zephyr' }

/** A long thread, and two short ones that different models answered. */
async function withThreads(guest: UserPage): Promise<(name: string) => string> {
  const { user } = await (await guest.page.request.get('/api/auth/get-session')).json()
  await product().kill9()
  const idOf = (name: string) => `${name}-${user.id}`
  const at = Date.now() - 1_000_000
  const path = Array.from({ length: 60 }, (_, n): PastMessage => {
    const word = found[n]
    const text = word ? `${filling(n)}\n\nHere is ${word}.\n\n${filling(n)}` : filling(n)
    return { id: idOf(`long-${n}`), parentId: n === 0 ? null : idOf(`long-${n - 1}`), text, isAnswer: n % 2 === 1 }
  })
  insertThread(product(), user.id, idOf('long'), 'Long ago', at, idOf('long-59'), path)
  for (const [n, modelId] of ['kimi-k2', 'gpt-5'].entries())
    insertThread(product(), user.id, idOf(modelId), `Tides of ${modelId}`, at + 10_000 * (n + 1), idOf(`${modelId}-1`), [
      { id: idOf(`${modelId}-0`), parentId: null, text: 'When do the mermaids sing?' },
      { id: idOf(`${modelId}-1`), parentId: idOf(`${modelId}-0`), text: 'The mermaids sing at night.', isAnswer: true, modelId },
    ])
  await product().restart()
  await guest.open()
  return idOf
}

const field = ({ page }: UserPage) => page.getByRole('textbox', { name: 'Find in thread' })
const status = ({ page }: UserPage) => page.getByRole('search', { name: 'Find in thread' }).getByRole('status').first()
const keys = async ({ page }: UserPage, ...all: readonly string[]) => {
  for (const key of all) await page.keyboard.press(key)
}
/** The text of the highlighted results; the current one is inside the view. */
const highlighted = ({ page }: UserPage, name: 'find-results' | 'find-current') =>
  page.evaluate((of) => [...(CSS.highlights.get(of) ?? [])].map((range) => range.toString()), name)
const isCurrentInView = ({ conversation }: UserPage) =>
  conversation.evaluate((log) => {
    const [range] = [...(CSS.highlights.get('find-current') ?? [])] as Range[]
    const [box, view] = [range?.getBoundingClientRect(), log.getBoundingClientRect()]
    return box !== undefined && box.height > 0 && box.top >= view.top && box.bottom <= view.bottom
  })
const selection = ({ page }: UserPage) => page.evaluate(() => document.getSelection()?.toString())

/** Selects the first word during a touch. Chromium selects by a long press on Android only. */
async function longPress(user: UserPage, line: Locator): Promise<void> {
  const { x, y } = (await line.boundingBox()) ?? { x: 0, y: 0 }
  const cdp = await user.context.newCDPSession(user.page)
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: x + 8, y: y + 12 }] })
  await line.evaluate((element) =>
    document.getSelection()?.setBaseAndExtent(element.firstChild ?? element, 0, element.firstChild ?? element, 4),
  )
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}

describe.each([
  ['desktop', false],
  ['phone', true],
] as const)('on a %s', (device, phone) => {
  test('a search is filtered by model, author and date', async () => {
    const guest = await newUser({ phone })
    await guest.open()
    await withThreads(guest)
    const palette = guest.page.getByRole('dialog', { name: 'Find anything' })
    const options = palette.getByRole('option')
    const filter = palette.getByRole('group', { name: 'Filters' })
    await keys(guest, 'Control+k')
    await palette.getByRole('combobox', { name: 'Search threads and commands' }).waitFor()
    await guest.page.keyboard.type('mermaids')
    await expect.poll(() => options.allTextContents()).toHaveLength(2)
    // The chips follow the field in the order of Tab.
    await filter.getByRole('button', { name: 'Model' }).focus()
    await keys(guest, 'Enter')
    await palette.getByRole('combobox', { name: 'Which model answered?' }).waitFor()
    await guest.page.keyboard.type('gpt 5')
    await options.filter({ hasText: /^GPT 5$/ }).waitFor()
    await keys(guest, 'Enter')
    await filter.getByRole('button', { name: 'Model: GPT 5' }).waitFor()
    // The words are still in the field.
    await expect.poll(() => options.allTextContents()).toEqual([expect.stringContaining('Tides of gpt-5')])
    await show(guest, `filtered-${device}`)
    await filter.getByRole('button', { name: 'From' }).focus()
    await keys(guest, 'Enter')
    await guest.page.keyboard.type('you')
    await keys(guest, 'Enter')
    await palette.getByText('Nothing found. Try other words or filters.').waitFor()
    // Without words, Backspace removes the filters.
    await guest.page.keyboard.press('Control+a')
    await keys(guest, 'Backspace', 'Backspace')
    await palette.getByRole('group', { name: 'Recent threads' }).waitFor()
    await filter.getByRole('button', { name: 'Date' }).focus()
    await keys(guest, 'Enter')
    await guest.page.keyboard.type('1999')
    await options.filter({ hasText: 'Before' }).waitFor()
    await keys(guest, 'ArrowDown', 'Enter')
    await filter.getByRole('button', { name: /^Date: Since/ }).waitFor()
    await guest.page.keyboard.type('mermaids night')
    await expect.poll(() => options.allTextContents()).toHaveLength(2)
    await keys(guest, 'Enter')
    await guest.conversation.getByText('The mermaids sing at night.').waitFor()
  })

  test('finds in all messages of a thread, counts them, and leaves the second press to the browser', async () => {
    const guest = await newUser({ phone })
    await guest.open()
    const idOf = await withThreads(guest)
    await guest.open(`/${idOf('long')}`)
    await guest.conversation.getByText('Here is the last zephyr.').waitFor()
    await guest.composer.fill('half a thought')
    await guest.composer.focus()
    await keys(guest, 'Control+f')
    await field(guest).waitFor()
    await expect.poll(() => field(guest).evaluate((element) => element === document.activeElement)).toBe(true)
    await guest.page.keyboard.type('zephyr')
    // One of the four is in a message that this browser has not loaded.
    await expect.poll(() => status(guest).textContent()).toBe('4 of 4')
    await expect.poll(() => highlighted(guest, 'find-current')).toEqual(['zephyr'])
    await expect.poll(() => isCurrentInView(guest)).toBe(true)
    await show(guest, `find-${device}`)
    for (const [key, at] of [
      ['Shift+Enter', 3],
      ['ArrowUp', 2],
      ['Shift+Enter', 1],
      ['Enter', 2],
      ['ArrowUp', 1],
      ['ArrowUp', 4],
      ['ArrowDown', 1],
    ] as const) {
      await keys(guest, key)
      await expect.poll(() => status(guest).textContent()).toBe(`${at} of 4`)
      await expect.poll(() => isCurrentInView(guest)).toBe(true)
    }
    expect(await guest.conversation.getByText('Here is a zephyr.').count()).toBe(1)
    await guest.page.keyboard.press('Control+a')
    await guest.page.keyboard.type('no such thing')
    await expect.poll(() => status(guest).textContent()).toBe('No results')
    const isOurs = guest.page.evaluate(
      () =>
        new Promise((resolve) =>
          window.addEventListener('keydown', (event) => event.key === 'f' && setTimeout(() => resolve(event.defaultPrevented))),
        ),
    )
    await keys(guest, 'Control+f')
    expect(await isOurs).toBe(false)
    await keys(guest, 'Escape')
    await field(guest).waitFor({ state: 'detached' })
    await expect.poll(() => guest.composer.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(await highlighted(guest, 'find-results')).toEqual([])
    expect(await guest.composer.inputValue()).toBe('half a thought')
  })

  test('a found text is selected when the bar closes, and is quoted into the draft', async () => {
    const guest = await newUser({ phone })
    await guest.open()
    const idOf = await withThreads(guest)
    await guest.open(`/${idOf('kimi-k2')}`)
    await guest.conversation.getByText('The mermaids sing at night.').waitFor()
    await guest.composer.fill('My draft')
    await guest.conversation.focus()
    if (phone) {
      // As with a finger: by the palette.
      await keys(guest, 'Control+k')
      await guest.page.getByRole('combobox', { name: 'Search threads and commands' }).waitFor()
      await guest.page.keyboard.type('find in the thread')
      await guest.page.getByRole('option', { name: /Find in the thread/ }).waitFor()
      await keys(guest, 'Enter')
    } else await keys(guest, 'Control+f')
    await expect.poll(() => field(guest).evaluate((element) => element === document.activeElement)).toBe(true)
    await guest.page.keyboard.type('sing at')
    await expect.poll(() => status(guest).textContent()).toBe('1 of 1')
    await keys(guest, 'Escape')
    await expect.poll(() => selection(guest)).toBe('sing at')
    const button = guest.page.getByRole('button', { name: 'Quote' })
    await untilDrawn(guest)
    await show(guest, `found-selected-${device}`)
    // The Quote button appears only for a selection by the user.
    expect(await button.count()).toBe(0)
    for (let n = 0; n < ' night'.length; n++) await keys(guest, 'Shift+ArrowRight')
    await expect.poll(() => selection(guest)).toBe('sing at night')
    await button.waitFor()
    await show(guest, `quote-${device}`)
    await keys(guest, 'Control+>')
    await expect.poll(() => guest.composer.inputValue()).toBe('My draft\n\n> sing at night\n\n')
    await untilDrawn(guest)
    await guest.page.keyboard.type('Why?')
    expect(await guest.composer.inputValue()).toBe('My draft\n\n> sing at night\n\nWhy?')
  })

  test('the Quote button stays below the selected text while the conversation scrolls, and quotes the text', async () => {
    const guest = await newUser({ phone })
    await guest.open()
    const idOf = await withThreads(guest)
    await guest.open(`/${idOf('long')}`)
    const { conversation, composer, page } = guest
    const line = conversation.getByText('Line 2 of 59')
    await line.selectText()
    const button = page.getByRole('button', { name: 'Quote' })
    await button.waitFor()
    const belowPx = async () => {
      const [top, bottom] = [await button.boundingBox(), await line.boundingBox()]
      return top && bottom ? Math.round(top.y - bottom.y - bottom.height) : null
    }
    // On a touch device, the handle of the selection is between the two.
    await expect.poll(belowPx).toBeGreaterThanOrEqual(phone ? 30 : 1)
    const px = await belowPx()
    await conversation.evaluate((log) => log.scrollBy({ top: -60 }))
    await expect.poll(belowPx).toBe(px)
    // As an answer does that is being written.
    await conversation
      .getByRole('article')
      .last()
      .evaluate((article) => {
        article.style.paddingBottom = '200px'
      })
    await untilDrawn(guest)
    expect(await belowPx()).toBe(px)
    await page.evaluate(() => document.getSelection()?.collapseToEnd())
    await button.waitFor({ state: 'detached' })
    await (phone ? longPress(guest, line) : line.click({ clickCount: 3 }))
    const quoted = (await selection(guest))?.trim()
    expect(quoted).toBe(phone ? 'Line' : 'Line 2 of 59: nothing that anybody looks for.')
    await (phone ? button.tap() : button.click())
    await expect.poll(() => composer.inputValue()).toBe(`> ${quoted}\n\n`)
    await button.waitFor({ state: 'detached' })
    await expect.poll(() => composer.evaluate((element) => element === document.activeElement)).toBe(true)
  })

  test('a bookmark appears on the other device, opens its message, and is removed there', async () => {
    const guest = await newUser({ phone })
    await guest.open()
    const idOf = await withThreads(guest)
    await guest.open(`/${idOf('long')}`)
    const message = guest.conversation.getByRole('article').filter({ hasText: 'Here is the last zephyr.' })
    const button = (name: string) => message.getByRole('button', { name, exact: true })
    const other = await newDevice(guest, { phone })
    await other.page.goto('/bookmarks')
    await other.page.getByText('No bookmarks yet.').waitFor()
    if (phone) await chooseForMessage(guest, message, 'Bookmark')
    else {
      await button('Bookmark').focus()
      await keys(guest, 'Enter')
      await button('Remove bookmark').waitFor()
    }
    await show(guest, `bookmarked-${device}`)
    const link = other.page.getByRole('main').getByRole('link', { name: /Long ago/ })
    await link.waitFor()
    await show(other, `bookmarks-${device}`)
    await link.focus()
    await keys(other, 'Enter')
    await expect.poll(() => pathOf(other)).toBe(`/${idOf('long')}`)
    await other.conversation.getByText('Here is the last zephyr.').waitFor()
    await other.page.getByRole('status').filter({ hasText: 'Opened at the message that was found' }).waitFor({ state: 'attached' })
    await keys(other, 'Control+k')
    await other.page.getByRole('combobox', { name: 'Search threads and commands' }).waitFor()
    await other.page.keyboard.type('saved messages')
    await other.page.getByRole('option', { name: 'Bookmarks' }).waitFor()
    await keys(other, 'Enter')
    const remove = other.page.getByRole('button', { name: 'Remove bookmark in Long ago' })
    await remove.focus()
    await keys(other, 'Enter')
    await other.page.getByText('No bookmarks yet.').waitFor()
    await other.page.getByRole('button', { name: 'Undo' }).click()
    await remove.focus()
    await keys(other, 'Enter')
    await other.page.getByText('No bookmarks yet.').waitFor()
    if (phone) await chooseForMessage(guest, message, 'Bookmark')
    else await button('Bookmark').waitFor()
  })
})
