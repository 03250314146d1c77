/** A thread above the input budget of its model: the page shows where the sent messages start, and the next message is answered. */
import { expect, test } from 'vitest'
import { setStage, show } from '../stage.ts'

const { openComposer } = setStage()

/** About 6,000 tokens; a guest's request may contain 16,000. */
const long = 'tide '.repeat(3_600)

test.each([false, true])('a long thread marks the first message that is still sent (on a phone: %j)', async (phone) => {
  const guest = await openComposer({ phone })
  const note = guest.conversation.getByRole('note').filter({ hasText: 'no longer receives the messages above, except the first one.' })
  for (const name of ['first', 'second']) {
    await guest.send(`/demo chunks=3 delay=0 ${name} ${long}`)
    await guest.untilAnswered()
  }
  expect(await note.count()).toBe(0)
  await guest.send('/demo chunks=4 delay=0 and now')
  await guest.untilAnswered()
  await guest.send(`/demo chunks=5 delay=0 fourth ${long}`)
  await guest.untilAnswered()
  await note.waitFor()
  await expect.poll(() => guest.answer()).toContain('word5')
  for (const mode of ['light', 'dark'] as const) {
    await guest.page.evaluate((name) => {
      document.documentElement.classList.remove('light', 'dark')
      document.documentElement.classList.add(name)
    }, mode)
    await note.scrollIntoViewIfNeeded()
    await show(guest, `long-thread-${phone ? 390 : 1440}-${mode}`)
  }
})
