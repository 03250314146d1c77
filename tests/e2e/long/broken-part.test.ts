/** A part of the page that fails: its place shows a notice with Retry, and the rest of the page works. */
import { expect, test } from 'vitest'
import { openRecord } from '../../support/record-file.ts'
import { insertThread } from '../past-threads.ts'
import { setStage, show } from '../stage.ts'
import type { UserPage } from '../user-page.ts'

const { openComposer, newUser, product } = setStage()

const provoked = /React error #31|reading 'ending'|stored in an unknown form|denied/

/** Writes the stored form of a message. */
function damage(id: string, change: (message: { parts: unknown[]; metadata: object }) => unknown): void {
  const record = openRecord(product().stateDir)
  const { message } = record.prepare('select message from message where id = ?').get(id) as { message: string }
  record.prepare('update message set message = ? where id = ?').run(JSON.stringify(change(JSON.parse(message))), id)
  record.close()
}

async function withDamagedThread(guest: UserPage): Promise<string> {
  const { user } = await (await guest.page.request.get('/api/auth/get-session')).json()
  await product().kill9()
  const id = (name: string) => `${name}-${user.id}`
  const names = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth']
  const messages = names.map((name, n) => ({
    id: id(name),
    parentId: n === 0 ? null : id(names[n - 1] ?? ''),
    text: `Words of the ${name}.`,
    isAnswer: n % 2 === 1,
  }))
  insertThread(product(), user.id, id('thread'), 'Damaged', Date.now() - 60_000, id('sixth'), messages)
  // Its text renders; the tool call after it makes React throw.
  const result = { number: 1, title: { not: 'a text' }, url: 'about:blank', site: '', snippet: '' }
  const call = { type: 'tool-search', toolCallId: 'call', state: 'output-available', input: { query: 'q' }, output: { results: [result] } }
  const file = { type: 'file', url: '/api/files/none', mediaType: 'application/pdf', filename: { not: 'a text' } }
  damage(id('first'), (message) => ({ ...message, parts: [...message.parts, file] }))
  damage(id('second'), (message) => ({ ...message, parts: [call, ...message.parts] }))
  damage(id('third'), (message) => ({ ...message, parts: [null, { type: 'text', text: {} }, ...message.parts] }))
  damage(id('fourth'), ({ parts }) => ({ id: id('fourth'), role: 'assistant', parts }))
  damage(id('fifth'), () => 'not a message')
  damage(id('sixth'), (message) => ({ ...message, metadata: { ...message.metadata, modelName: { not: 'a text' } } }))
  await product().restart()
  return id('thread')
}

test('damaged messages do not hide their thread, its composer or the palette', async () => {
  const guest = await openComposer()
  guest.ignoreErrors(provoked)
  await guest.open(`/${await withDamagedThread(guest)}`)
  const { conversation, page } = guest
  for (const name of ['first', 'second', 'third', 'sixth']) await conversation.getByText(`Words of the ${name}.`).waitFor()
  const notices = conversation.getByRole('alert')
  await expect
    .poll(async () => (await notices.allInnerTexts()).map((text) => text.split('\n')[0]))
    .toEqual([
      "The list of files can't be shown.",
      "This part of the message can't be shown.",
      "The message can't be shown.",
      "The message can't be shown.",
      "This part of the message can't be shown.",
      "The toolbar can't be shown.",
    ])
  await show(guest, 'damaged-thread')
  await notices.nth(1).getByRole('button', { name: 'Show Error' }).click()
  await notices.nth(1).getByText('unknown form').waitFor()
  // The disclosure of the searches throws when it is opened; the error stays within it.
  await conversation
    .getByRole('button', { name: /search/i })
    .first()
    .click()
  await expect.poll(() => notices.count()).toBe(7)
  await guest.composer.fill('the composer works')
  await page.getByRole('button', { name: 'Send message' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Find anything' }).waitFor()
})

test('a composer that fails keeps its text, and Retry restores it', async () => {
  const guest = await newUser()
  guest.ignoreErrors(provoked)
  await guest.open()
  await guest.composer.fill('half a thought')
  await guest.context.addInitScript(() => {
    const { matchMedia } = window
    window.matchMedia = (query) => {
      if (query === '(pointer: fine)' && !document.title.startsWith('mended')) throw new Error('denied')
      return matchMedia.call(window, query)
    }
  })
  await guest.page.reload()
  const notice = guest.page.getByRole('alert').filter({ hasText: "The composer can't be shown. Your text is saved." })
  await notice.waitFor()
  await guest.page.getByRole('button', { name: 'New thread', exact: true }).waitFor()
  await show(guest, 'broken-composer')
  await guest.page.evaluate(() => {
    document.title = 'mended'
  })
  await notice.getByRole('button', { name: 'Retry' }).click()
  await expect.poll(() => guest.composer.inputValue()).toBe('half a thought')
})

test('a list in the composer that fails leaves the text, its sync and the send button', async () => {
  const guest = await openComposer()
  guest.ignoreErrors(provoked)
  await guest.page.evaluate(() => {
    HTMLTextAreaElement.prototype.closest = () => {
      throw new Error('denied')
    }
  })
  await guest.composer.pressSequentially('a thought @')
  const composer = guest.page.getByRole('form', { name: 'Composer' })
  await composer.getByRole('alert').filter({ hasText: "The menu can't be shown." }).waitFor()
  await show(guest, 'broken-insert-menu')
  expect(await guest.composer.inputValue()).toBe('a thought @')
  await guest.composer.fill('a thought')
  await composer.getByRole('alert').waitFor({ state: 'detached' })
  await guest.page.getByRole('button', { name: 'Send message' }).click()
  await guest.untilAnswered()
})

test('an overlay that fails shows a notice, can be closed, and opens when its cause is fixed', async () => {
  const guest = await openComposer()
  guest.ignoreErrors(provoked)
  const { page } = guest
  await page.evaluate(() => {
    const { visualViewport } = window
    Object.defineProperty(window, 'visualViewport', {
      get: () => {
        if (document.documentElement.dataset.denied !== 'no') throw new Error('denied')
        return visualViewport
      },
    })
  })
  await page.keyboard.press('Control+k')
  const notice = page.getByRole('alert').filter({ hasText: "The overlay can't be shown." })
  await notice.waitFor()
  await show(guest, 'broken-overlay')
  await notice.getByRole('button', { name: 'Close' }).click()
  await notice.waitFor({ state: 'detached' })
  await guest.composer.fill('the page works')
  await page.evaluate(() => {
    document.documentElement.dataset.denied = 'no'
  })
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Find anything' }).waitFor()
})
