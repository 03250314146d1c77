/** What a message will cost is said before it is sent, and what is left of a day goes by the server's day, not by the device's. */
import { expect, test } from 'vitest'
import type { Person } from './person.ts'
import { setStage } from './stage.ts'

const { arrive, meetAgain } = setStage({ visits: { still: true } })

const price = ({ page }: Person) => page.getByTitle('What the next message costs')

test('while an answer is written, files alone have a price: they can be queued', async () => {
  const guest = await arrive()
  await guest.send('/demo chunks=2000 delay=20')
  const stop = guest.page.getByRole('button', { name: 'Stop generating' })
  await stop.waitFor()
  await price(guest).waitFor({ state: 'detached' })
  const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Twice a day.') }
  await guest.page.getByLabel('Files', { exact: true }).setInputFiles(notes)
  await guest.page.getByRole('list', { name: 'Attachments' }).getByText('notes.txt').waitFor()
  await price(guest).waitFor()
  await guest.page.getByRole('button', { name: 'Remove notes.txt' }).click()
  await price(guest).waitFor({ state: 'detached' })
  await stop.click()
  await guest.untilAnswered()
})

/** A day and a half ahead, as a device is that was set wrong: when its page began is wrong as well. */
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

test('a device that is more than a day ahead shows what is left of the server’s day', async () => {
  const guest = await arrive()
  await guest.send('/demo chunks=1 delay=0')
  await guest.untilAnswered()
  await guest.page.getByRole('button', { name: /19 credits left/ }).waitFor()
  const wrong = await meetAgain(guest)
  await wrong.context.addInitScript(setWrong, 36 * 60 * 60 * 1000)
  await wrong.open()
  const left = wrong.page.getByRole('button', { name: /credits left/ })
  await left.waitFor()
  // Also once it has rows of its own, which come with what was asked last.
  await wrong.send('/demo chunks=1 delay=0')
  await wrong.untilAnswered()
  await wrong.page.getByRole('button', { name: /18 credits left/ }).waitFor()
  await expect.poll(() => guest.page.getByRole('button', { name: /18 credits left/ }).count()).toBe(1)
})
