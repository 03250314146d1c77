// The suggestions of an empty new thread, on a desktop and on a phone.
import { expect, test } from 'vitest'
import { setStage } from '../stage.ts'

const { openComposer } = setStage()

test.each([false, true])(
  'a prompt is written into the composer, and the suggestions disappear while there is text (phone: %s)',
  async (phone) => {
    const guest = await openComposer({ phone })
    const prompt = guest.page.getByRole('button', { name: 'Explain how tides work' })
    await prompt.click()
    await expect.poll(() => guest.composer.inputValue()).toBe('Explain how tides work')
    await expect.poll(() => guest.composer.evaluate((field) => field === document.activeElement)).toBe(true)
    await prompt.waitFor({ state: 'detached' })
    await guest.composer.fill('')
    // On a phone the keyboard needs the room.
    if (phone) await guest.composer.blur()
    await prompt.waitFor()
  },
)

test('the last thread is offered in a new thread', async () => {
  const guest = await openComposer()
  const last = guest.page.getByRole('link', { name: 'Continue last thread' })
  await guest.page.getByRole('button', { name: 'Explain how tides work' }).waitFor()
  expect(await last.count()).toBe(0)
  await guest.send('/demo chunks=3 delay=0')
  await guest.untilAnswered()
  const thread = new URL(guest.page.url()).pathname
  await guest.startThread()
  await last.click()
  await guest.conversation.waitFor()
  expect(new URL(guest.page.url()).pathname).toBe(thread)
})
