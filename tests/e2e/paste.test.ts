/** A long paste becomes an attachment that can be turned back into text. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { serverAway } from '../support/server-away.ts'
import { attachments } from './attach.ts'
import { setStage, show } from './stage.ts'

const { openComposer } = setStage({ ignoredErrors: serverAway })

const field = (page: Page) => page.locator('[data-composer] textarea')
/** Puts the text at the caret, as the browser does unless the page handles the paste. */
const paste = (page: Page, text: string) =>
  field(page).evaluate((node: HTMLTextAreaElement, pasted) => {
    node.focus()
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', pasted)
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    if (node.dispatchEvent(event)) document.execCommand('insertText', false, pasted)
  }, text)

test('a paste over 4,000 characters is attached, survives a reload, and is turned back; a shorter one stays text', async () => {
  const user = await openComposer()
  const { page } = user
  const chip = attachments(user).getByText('Pasted text · 5,120 characters', { exact: true })
  const long = `${'line\r\n'.repeat(1024)}`
  await field(page).fill('Sum it up: ')
  await paste(page, 'short')
  await expect.poll(() => field(page).inputValue()).toBe('Sum it up: short')
  expect(await attachments(user).count()).toBe(0)

  await paste(page, long)
  await chip.waitFor()
  await attachments(user).getByRole('progressbar').waitFor({ state: 'detached' })
  expect(await field(page).inputValue()).toBe('Sum it up: short')
  await show(user, 'pasted-text')
  // The paste is not in the undo history of the field.
  await page.keyboard.press('Control+z')
  await expect.poll(() => field(page).inputValue()).toBe('Sum it up: ')
  await page.reload()
  await chip.waitFor()
  await field(page).press('End')
  await page.getByRole('button', { name: 'Insert as text' }).click()
  await chip.waitFor({ state: 'detached' })
  const text = long.replaceAll('\r\n', '\n')
  await expect.poll(() => field(page).inputValue()).toBe(`Sum it up: ${text}`)
  await page.keyboard.press('Control+z')
  await expect.poll(() => field(page).inputValue()).toBe('Sum it up: ')
  await page.keyboard.press('Control+Shift+z')
  await expect.poll(() => field(page).inputValue()).toBe(`Sum it up: ${text}`)

  await field(page).fill('')
  await paste(page, ' \n'.repeat(4000))
  expect(await attachments(user).count()).toBe(0)
  await field(page).fill('')
  await paste(page, 'word '.repeat(200_000))
  await attachments(user).getByText('Pasted text · 1,000,000 characters', { exact: true }).waitFor()
})

test('without a network, a long paste waits as other files do, and can still be turned back', async () => {
  const user = await openComposer()
  const { page, context } = user
  // The code of attachments has loaded before the network is lost.
  await paste(page, 'a'.repeat(4001))
  await page.getByRole('button', { name: 'Insert as text' }).waitFor()
  await context.setOffline(true)
  await paste(page, 'b'.repeat(4002))
  const second = attachments(user).getByRole('listitem').nth(1)
  await second.getByText('Pasted text · 4,002 characters', { exact: true }).waitFor()
  await second.getByRole('button', { name: 'Insert as text' }).click()
  await expect.poll(() => field(page).inputValue()).toBe('b'.repeat(4002))
  await context.setOffline(false)
})

test('a long paste is turned back once for two clicks, and in its own draft if another thread is shown meanwhile', async () => {
  const user = await openComposer()
  const { page } = user
  const insert = page.getByRole('button', { name: 'Insert as text' })
  /** The new page reads the text from the server, when the returned function is called. */
  const reloadAndHold = async () => {
    await attachments(user).getByRole('progressbar').waitFor({ state: 'detached' })
    await page.reload()
    const held = Promise.withResolvers<void>()
    await page.route('**/api/files/**', async (route) => {
      if (route.request().method() === 'GET') await held.promise
      await route.continue()
    })
    await insert.waitFor()
    return async () => {
      const read = page.waitForResponse((response) => response.url().includes('/api/files/') && response.request().method() === 'GET')
      held.resolve()
      await (await read).finished()
      await page.unrouteAll({ behavior: 'wait' })
    }
  }
  await user.send('/demo delay=0 say=Tea')
  await user.untilAnswered()
  await user.open('/')
  await field(page).fill('Mine: ')
  await paste(page, 'b'.repeat(4001))
  await insert.waitFor()
  const releaseElsewhere = await reloadAndHold()
  await insert.click()
  await page.getByRole('navigation', { name: 'Threads' }).getByRole('link').first().click()
  await page.waitForURL((url) => url.pathname !== '/')
  await releaseElsewhere()
  expect(await field(page).inputValue()).toBe('')
  await user.open('/')
  await expect.poll(() => field(page).inputValue()).toBe(`Mine: ${'b'.repeat(4001)}`)

  // 5,000 lines, which Chrome would insert one by one.
  const lines = 'a < b & c\n'.repeat(5000)
  await field(page).fill('')
  await paste(page, lines)
  await insert.waitFor()
  const release = await reloadAndHold()
  await insert.dblclick()
  await release()
  await expect.poll(() => field(page).inputValue()).toBe(lines)
})
