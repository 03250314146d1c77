/** Prices are shown before sending; daily counts and message times use the server's clock, not the device's. */
import { expect, test } from 'vitest'
import { openRecord } from '../../support/record-file.ts'
import { sentenceOf } from '../../support/refused-sentence.ts'
import { serverAway } from '../../support/server-away.ts'
import { pathOf, setStage, show } from '../stage.ts'
import type { UserPage } from '../user-page.ts'

const { openComposer, newDevice, product } = setStage()

const price = ({ page }: UserPage) => page.locator('[data-tooltip="Price of the next message"]')

test('while an answer is pending, attachments without text have a price because they can be queued; a text states the wait, and the delete button its reason', async () => {
  const guest = await openComposer()
  await guest.send('/demo silent=start')
  const stop = guest.page.getByRole('button', { name: 'Stop generating' })
  await stop.waitFor()
  await price(guest).waitFor({ state: 'detached' })
  const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Twice a day.') }
  await guest.page.getByLabel('Files', { exact: true }).setInputFiles(notes)
  await guest.page.getByRole('list', { name: 'Attachments' }).getByText('notes.txt').waitFor()
  await price(guest).waitFor()
  await guest.page.getByRole('button', { name: 'Remove notes.txt' }).click()
  await price(guest).waitFor({ state: 'detached' })

  // Visible, not only for screen readers, whose text is one pixel wide.
  await expect.poll(async () => (await guest.conversation.getByText(/is thinking · \d+ s/).boundingBox())?.height).toBeGreaterThan(8)
  await show(guest, 'waiting')
  await guest.conversation.getByRole('article', { name: 'Your message' }).hover()
  await guest.conversation.getByRole('button', { name: 'More for this message' }).click()
  await guest.page.getByRole('menuitem', { name: 'Delete thread' }).hover()
  await guest.page.getByText(sentenceOf('thread_busy')).waitFor()
  await show(guest, 'delete-reason')
  await guest.page.keyboard.press('Escape')
  await stop.click()
  await guest.untilAnswered()
})

test('with Data Saver, too, a text has its expected price, which says how it gets cheaper', async () => {
  const guest = await openComposer()
  await guest.composer.fill('tide '.repeat(3000))
  const expected = guest.page.locator('button[data-tooltip="Price of the next message"]')
  // The part that computes it arrives between two keys.
  const isThere = async () => {
    await guest.composer.press('x')
    return expected.isVisible()
  }
  await expect.poll(isThere).toBe(true)
  await expected.click()
  await guest.page
    .getByRole('dialog', { name: 'Price of the next message' })
    .getByText(/^About \d+ credits$/)
    .waitFor()
})

/** As on a device with a wrong clock: the start time of the page is wrong as well. */
const setWrong = (aheadMs: number) => {
  const [RealDate, beganMs] = [Date, performance.timeOrigin]
  class WrongDate extends RealDate {
    constructor(...given: []) {
      if (given.length === 0) super(RealDate.now() + aheadMs)
      else super(...given)
    }
    static override now = () => RealDate.now() + aheadMs
  }
  Object.defineProperty(globalThis, 'Date', { value: WrongDate })
  Object.defineProperty(performance, 'timeOrigin', { value: beganMs + aheadMs })
}

test('a device that is more than a day ahead shows the credits of the server’s day', async () => {
  const guest = await openComposer()
  await guest.send('/demo chunks=1 delay=0')
  await guest.untilAnswered()
  await guest.page.getByRole('button', { name: /19 credits left/ }).waitFor()
  const wrong = await newDevice(guest)
  await wrong.context.addInitScript(setWrong, 36 * 60 * 60 * 1000)
  await wrong.open()
  const left = wrong.page.getByRole('button', { name: /credits left/ })
  await left.waitFor()
  // Also after its rows have synced, with the latest message.
  await wrong.send('/demo chunks=1 delay=0')
  await wrong.untilAnswered()
  await wrong.page.getByRole('button', { name: /18 credits left/ }).waitFor()
  await expect.poll(() => guest.page.getByRole('button', { name: /18 credits left/ }).count()).toBe(1)
})

// Behind: with its own time, its messages would be the oldest. tests/unit/web/lib/server-clock.test.ts has devices that are ahead.
test('on a device that is three hours behind, later messages appear above earlier ones, also while it is offline', async () => {
  const guest = await openComposer()
  await guest.send('/demo chunks=1 delay=0 the first')
  await guest.untilAnswered()
  const first = pathOf(guest)
  await guest.startThread()
  await guest.send('/demo chunks=1 delay=0 the second')
  await guest.untilAnswered()
  const second = pathOf(guest)
  // Two hours ago and one hour ago: longer than the test may take, and shorter than the error of the clock.
  await product().kill9()
  const record = openRecord(product().stateDir)
  for (const [path, agoHours] of [
    [first, 2],
    [second, 1],
  ] as const)
    record.prepare('update thread set updatedAt = updatedAt - ? where id = ?').run(agoHours * 60 * 60 * 1000, path.slice(1))
  record.close()
  await product().restart()

  const wrong = await newDevice(guest, { prefetches: true })
  await wrong.context.addInitScript(setWrong, -3 * 60 * 60 * 1000)
  await wrong.open(first)
  const order = () => wrong.threads.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))
  const twoOf = async () => (await order()).filter((path) => path === first || path === second)
  // Its socket has synced: it uses synced rows from here on.
  await guest.open()
  await guest.send('/demo chunks=1 delay=0 the third')
  await expect.poll(async () => (await order()).length).toBe(3)
  await expect.poll(twoOf).toEqual([second, first])
  wrong.ignoreErrors(serverAway)
  await wrong.context.setOffline(true)
  await wrong.send('/demo chunks=2 delay=0')
  await wrong.conversation.getByText('Waiting for the connection').waitFor()
  await expect.poll(twoOf).toEqual([first, second])
  await wrong.context.setOffline(false)
  await wrong.conversation.getByText('word2').waitFor()
  await wrong.untilAnswered()
  await expect.poll(twoOf).toEqual([first, second])
  await guest.untilAnswered()
})
