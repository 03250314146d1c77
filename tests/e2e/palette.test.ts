/** The palette and the shortcuts: everything works by keyboard, and no key is taken from a text field. */
import type { Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { composerShortcuts, pageShortcuts } from '../../web/lib/shortcuts.ts'
import { en as libTexts } from '../../web/lib/texts/en.ts'
import { preloadedThreads } from '../../worker/contract/preload-limits.ts'
import { openRecord } from '../support/record-file.ts'
import { ask, doByName, enter, field, openWith, pointedAt } from './palette-keys.ts'
import { pathOf, setStage, show } from './stage.ts'
import { toolsButton, type UserPage, untilDrawn } from './user-page.ts'

const { openComposer, newDevice, product } = setStage()

const option = ({ page }: UserPage, name: string | RegExp) => page.getByRole('option', { name })
const isComposing = ({ composer }: UserPage) => composer.evaluate((element) => element === document.activeElement)

/** The user and the model are loaded: half of the list depends on them. */
const untilKnown = ({ page }: UserPage) => page.getByRole('button', { name: 'Model', exact: true, description: 'Kimi K2' }).waitFor()

test('a held Enter opens the palette and runs none of its commands', async () => {
  const guest = await openComposer()
  const { page } = guest
  await page.getByRole('button', { name: 'Find anything' }).focus()
  await page.keyboard.down('Enter')
  await expect.poll(() => pointedAt(guest)).not.toBe('')
  // Repeats of the key.
  for (let repeats = 0; repeats < 3; repeats += 1) await page.keyboard.down('Enter')
  await untilDrawn(guest)
  expect(await field(guest).isVisible()).toBe(true)
  await page.keyboard.up('Enter')
})

test('a thread is found by its title and by its messages, by keyboard alone', async () => {
  const guest = await openComposer()
  const tides = await ask(guest, '/demo chunks=3 delay=0 the tides of the sea')
  await ask(guest, '/demo chunks=7 delay=0 nothing in particular')
  await guest.composer.fill('half a thought')
  await guest.page.keyboard.press('Control+k')
  await expect.poll(() => field(guest).evaluate((input) => input === document.activeElement)).toBe(true)
  // Without a query, the palette lists the previous threads.
  await expect.poll(() => pointedAt(guest)).toContain('Tides of the sea')
  await field(guest).fill('sea tides')
  await enter(guest, /Tides of the sea/)
  await expect.poll(() => pathOf(guest)).toBe(tides)
  await guest.conversation.getByText('word3').waitFor()
  await expect.poll(() => isComposing(guest)).toBe(true)

  await openWith(guest, 'word7')
  await option(guest, /Nothing in particular.*word7/).waitFor()
  await expect
    .poll(() =>
      option(guest, /Nothing in particular/)
        .locator('mark')
        .allTextContents(),
    )
    .toEqual(['word7'])
  await enter(guest, /Nothing in particular/)
  await guest.conversation.getByText('word7').waitFor()
  await expect.poll(() => guest.composer.inputValue()).toBe('half a thought')
})

test('Escape closes it and restores the focus; the arrows wrap around; a choice can be cancelled', async () => {
  const guest = await openComposer()
  await untilKnown(guest)
  await guest.composer.fill('kept')
  await guest.page.keyboard.press('Control+k')
  await expect.poll(() => pointedAt(guest)).not.toBe('')
  const first = await pointedAt(guest)
  // The list fades where more content follows.
  const more = () => guest.page.getByRole('listbox', { name: 'Results' }).getAttribute('data-more')
  await expect.poll(more).toBe('below')
  await guest.page.keyboard.press('ArrowUp')
  await expect.poll(() => pointedAt(guest)).not.toBe(first)
  await expect.poll(more).toContain('above')
  await guest.page.keyboard.press('ArrowDown')
  await expect.poll(() => pointedAt(guest)).toBe(first)
  // The whole heading is visible as well.
  await expect.poll(more).toBe('below')
  await field(guest).fill('no such thing anywhere')
  await guest.page.getByText('Nothing found. Try other words.').waitFor()
  await field(guest).fill('switch model')
  await enter(guest, /Switch model/)
  const models = guest.page.getByRole('combobox', { name: 'Which model?' })
  await models.waitFor()
  await models.press('Backspace')
  await field(guest).waitFor()
  await guest.page.keyboard.press('Escape')
  await field(guest).waitFor({ state: 'detached' })
  await expect.poll(() => isComposing(guest)).toBe(true)
  expect(await guest.composer.inputValue()).toBe('kept')
})

test('models, modes, themes and pages are selected by typing their names', async () => {
  const guest = await openComposer()
  const model = guest.page.getByRole('button', { name: 'Model', exact: true })
  await untilKnown(guest)
  await openWith(guest, '4o mini')
  // The name alone does not describe the action.
  await guest.page.getByRole('group', { name: 'Model of the next message' }).getByRole('option', { name: 'GPT 4o Mini' }).waitFor()
  await enter(guest, /GPT 4o Mini/)
  await expect.poll(() => model.getAttribute('aria-description')).toMatch(/^GPT 4o Mini/)
  await doByName(guest, 'light', /Light/)
  await guest.page.locator('html.light').waitFor()
  await openWith(guest, 'theme paper')
  await guest.page.getByRole('group', { name: 'Mode, theme and language' }).getByRole('option', { name: 'Paper Theme' }).waitFor()
  await enter(guest, /Paper/)
  await guest.page.locator('html.light.theme-paper').waitFor()
  // An unavailable choice opens the page that can change it.
  await openWith(guest, 'claude opus')
  await enter(guest, /This model needs PRO/)
  await guest.page.getByRole('dialog', { name: 'Upgrade to PRO' }).waitFor()
  await guest.page.keyboard.press('Escape')
  await doByName(guest, 'instructions', /Preferences/)
  await expect.poll(() => pathOf(guest)).toBe('/account/preferences')
  // From every page, and every page has the sidebar.
  await doByName(guest, 'sidebar', /Show or hide the sidebar/)
  await guest.page.getByRole('button', { name: 'Open sidebar' }).waitFor()
  await doByName(guest, 'new thread', /New thread/)
  await expect.poll(() => pathOf(guest)).toBe('/')
})

test('a text without results becomes the draft of a new thread', async () => {
  const guest = await openComposer()
  await ask(guest, '/demo chunks=2 delay=0 first')
  await openWith(guest, 'How do whales sleep')
  await guest.page.getByText('Nothing found.').waitFor()
  await show(guest, 'palette-ask')
  await enter(guest, /^Ask Parley “How do whales sleep”$/)
  await expect.poll(() => pathOf(guest)).toBe('/')
  await expect.poll(() => guest.composer.inputValue()).toBe('How do whales sleep')
  await expect.poll(() => isComposing(guest)).toBe(true)
})

test('arrow keys preview a theme, and Escape restores the chosen one; matches are marked in titles', async () => {
  const guest = await openComposer()
  const root = guest.page.locator('html')
  await untilKnown(guest)
  await doByName(guest, 'change theme', /Change theme/)
  await option(guest, /^Harbor/)
    .and(guest.page.locator('[data-active-item]'))
    .waitFor()
  await guest.page.keyboard.press('ArrowDown')
  await expect.poll(() => root.getAttribute('class')).toBe('dark theme-rose')
  await show(guest, 'palette-theme')
  await guest.page.keyboard.press('ArrowDown')
  await expect.poll(() => root.getAttribute('class')).toBe('dark theme-clay')
  await guest.page.keyboard.press('Escape')
  await expect.poll(() => root.getAttribute('class')).toBe('dark theme-default')
  await doByName(guest, 'change theme', /Change theme/)
  await option(guest, /^Harbor/)
    .and(guest.page.locator('[data-active-item]'))
    .waitFor()
  await guest.page.keyboard.press('ArrowDown')
  await guest.page.keyboard.press('Enter')
  await guest.page.locator('[aria-modal="true"]').waitFor({ state: 'detached' })
  await expect.poll(() => root.getAttribute('class')).toBe('dark theme-rose')
  await openWith(guest, 'theme pap')
  await expect.poll(() => option(guest, 'Paper').locator('mark').allInnerTexts()).toEqual(['Pap'])
})

test('the palette copies, renames, forks and deletes the open thread', async () => {
  const guest = await openComposer()
  await guest.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const path = await ask(guest, '/demo chunks=2 delay=0 first')
  await guest.threads.getByText('First', { exact: true }).waitFor()
  const copied = () => guest.page.evaluate(() => navigator.clipboard.readText())
  await doByName(guest, 'copy thread', /Copy thread/)
  await expect.poll(copied).toBe('# First\n\n**You**\n\n/demo chunks=2 delay=0 first\n\n**Kimi K2**\n\nword1 word2 ')
  await guest.page.keyboard.press('Control+Shift+c')
  await expect.poll(copied).toBe('word1 word2 ')
  await doByName(guest, 'rename', /Rename thread/)
  await guest.page.getByRole('textbox', { name: 'Title' }).fill('Another name')
  await guest.page.keyboard.press('Enter')
  await guest.threads.getByRole('link', { name: 'Another name' }).waitFor()
  await doByName(guest, 'fork', /Fork thread/)
  await expect.poll(() => guest.threads.getByRole('link').count()).toBe(2)
  await expect.poll(() => pathOf(guest)).not.toBe(path)
  await guest.conversation.getByText('word2').waitFor()
  await doByName(guest, 'delete thread', /Delete thread/)
  await expect.poll(() => guest.threads.getByRole('link').count()).toBe(1)
  await expect.poll(() => pathOf(guest)).toBe('/')
})

test('on a phone it opens from the sidebar and fills the window', async () => {
  const guest = await openComposer()
  const path = await ask(guest, '/demo chunks=2 delay=0 far away')
  const phone = await newDevice(guest, { phone: true })
  await phone.open()
  await phone.page.getByRole('button', { name: 'Open sidebar' }).tap()
  await phone.page.getByRole('button', { name: 'Find anything' }).tap()
  const dialog = phone.page.getByRole('dialog', { name: 'Find anything' })
  await expect.poll(() => dialog.boundingBox()).toEqual({ x: 0, y: 0, ...phone.page.viewportSize() })
  await field(phone).fill('far')
  await option(phone, /Far away/).tap()
  await expect.poll(() => pathOf(phone)).toBe(path)
})

test('the server’s search results appear below the local ones, and the active option stays', async () => {
  const guest = await openComposer()
  const { user } = await (await guest.page.request.get('/api/auth/get-session')).json()
  await product().kill9()
  const record = openRecord(product().stateDir)
  const say = (n: number, title: string, text: string) => {
    const message = JSON.stringify({ id: `message-${n}`, role: 'user', parts: [{ type: 'text', text }] })
    const at = Date.now() - 1_000_000 + n
    const thread = 'insert into thread (id, userId, title, headId, createdAt, updatedAt) values (?, ?, ?, ?, ?, ?)'
    record.prepare(thread).run(`thread-${n}`, user.id, title, `message-${n}`, at, at)
    const row = 'insert into message (id, threadId, userId, message, createdAt, updatedAt) values (?, ?, ?, ?, ?, ?)'
    record.prepare(row).run(`message-${n}`, `thread-${n}`, user.id, message, at, at)
  }
  say(0, 'Long ago', 'The zephyr began a new thread of silk, and something else.')
  for (let n = 1; n <= preloadedThreads; n++) say(n, `Later ${n}`, 'Something else.')
  record.close()
  await product().restart()
  await guest.open()
  await guest.threads.getByRole('link', { name: 'Long ago' }).waitFor()

  const held: Route[] = []
  let isHeld = true
  await guest.page.route('**/api/messages/search', async (route) => (isHeld ? void held.push(route) : route.continue()))
  await openWith(guest, 'new thread')
  await expect.poll(() => held.length).toBe(1)
  await expect.poll(() => pointedAt(guest)).toContain('New thread')
  const pointed = await pointedAt(guest)
  expect(await option(guest, /zephyr/).count()).toBe(0)
  await held[0]?.continue()
  await option(guest, /Long ago.*zephyr/).waitFor()
  expect(await pointedAt(guest)).toBe(pointed)
  await expect.poll(() => option(guest, /./).last().textContent()).toContain('zephyr')

  isHeld = false
  await field(guest).fill('zeph silk')
  await expect.poll(() => pointedAt(guest)).toContain('Long ago')
  await guest.page.keyboard.press('Enter')
  await expect.poll(() => pathOf(guest)).toBe('/thread-0')
  await guest.conversation.getByText('The zephyr began').waitFor()

  // Occurs in every local thread; the older thread is found all the same.
  await openWith(guest, 'some')
  await option(guest, /Later 1\D/).waitFor()
  await field(guest).fill('something')
  await option(guest, /Long ago.*something/).waitFor()
})

const sheet = ({ page }: UserPage) => page.getByRole('dialog', { name: 'Keyboard shortcuts' })

test('the shortcut sheet opens by its key, the menu and the palette, and every shortcut in it works', async () => {
  const guest = await openComposer()
  // In the composer, this character is text.
  await guest.composer.press('?')
  await expect.poll(() => guest.composer.inputValue()).toBe('?')
  expect(await sheet(guest).count()).toBe(0)
  await guest.composer.fill('')
  await guest.composer.blur()
  await guest.page.keyboard.press('?')
  for (const { descriptionKey } of [...Object.values(pageShortcuts), ...Object.values(composerShortcuts)])
    await sheet(guest).getByText(libTexts[descriptionKey], { exact: true }).last().waitFor()
  await guest.page.keyboard.press('Escape')
  // A button takes no text.
  await toolsButton(guest).focus()
  await guest.page.keyboard.press('?')
  await sheet(guest).waitFor()
  await guest.page.keyboard.press('Escape')
  await guest.page.getByRole('button', { name: /credits left/ }).click()
  await guest.page.getByRole('menuitem', { name: libTexts[pageShortcuts.help.descriptionKey] }).click()
  await sheet(guest).waitFor()
  await guest.page.keyboard.press('Escape')
  await doByName(guest, 'keyboard', /shortcuts/)
  await sheet(guest).waitFor()
  await guest.page.keyboard.press('Escape')

  const first = await ask(guest, '/demo chunks=2 delay=0 one')
  const second = await ask(guest, '/demo chunks=2 delay=0 two')
  await guest.page.keyboard.press('Control+Shift+o')
  await expect.poll(() => pathOf(guest)).toBe('/')
  // The address changes before the page, and the next key depends on the page.
  await guest.conversation.waitFor({ state: 'detached' })
  await guest.page.keyboard.press('Alt+ArrowDown')
  await expect.poll(() => pathOf(guest)).toBe(second)
  await guest.conversation.getByText('/demo chunks=2 delay=0 two').waitFor()
  await guest.page.keyboard.press('Alt+ArrowUp')
  await expect.poll(() => pathOf(guest)).toBe(first)
  await guest.page.keyboard.press('Control+b')
  await guest.page.getByRole('button', { name: 'Open sidebar' }).waitFor()
  await guest.page.keyboard.press('Control+b')
  await guest.page.getByRole('button', { name: 'Close sidebar' }).waitFor()
  await guest.page.keyboard.press('Control+k')
  await field(guest).waitFor()
  await guest.page.keyboard.press('Control+k')
  await field(guest).waitFor({ state: 'detached' })
})
