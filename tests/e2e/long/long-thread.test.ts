/** A thread above the input budget of its model: its beginning is summarised, the page shows where, and the composer shows how full it is. */
import { expect, test } from 'vitest'
import { inMode, setStage, show } from '../stage.ts'

const { openComposer } = setStage()

/** About 5,300 tokens; a request of a guest has 20,000, including 1,500 of instructions. */
const long = 'tide '.repeat(3_200)

test.each([false, true])('a long thread is summarized, and the line opens the summary (on a phone: %j)', async (phone) => {
  const guest = await openComposer({ phone })
  const { page, conversation } = guest
  const send = async (name: string, words: number, text = '') => {
    await guest.send(`/demo chunks=${words} delay=0 ${name} ${text}`)
    await guest.untilAnswered()
  }
  const showInBothModes = async (state: string) => {
    for (const mode of ['light', 'dark'] as const) {
      await inMode(page, mode)
      await show(guest, `long-thread-${phone ? 390 : 1440}-${state}-${mode}`)
    }
  }
  const meter = page.getByRole('button', { name: /^\d+% used$/ })
  const line = conversation.getByRole('button', { name: 'Summarized up to here' })

  await send('first', 3, long)
  expect(await meter.count()).toBe(0)
  await send('second', 3, long)
  await meter.waitFor()
  await meter.click()
  const details = page.getByRole('dialog', { name: 'Context' })
  await details.getByText('the oldest messages are summarized').waitFor()
  await showInBothModes('meter')
  await page.keyboard.press('Escape')

  await send('third', 4, long)
  expect(await line.count()).toBe(0)
  await send('fourth', 5, long)
  await expect.poll(() => guest.answer()).toContain('word5')
  await line.waitFor()
  expect(await line.getAttribute('aria-expanded')).toBe('false')
  await line.scrollIntoViewIfNeeded()
  await showInBothModes('line')
  await line.press('Enter')
  const summary = conversation.getByRole('region', { name: 'Summary' })
  await summary.getByText('first tide tide').waitFor()
  expect(await summary.innerText()).not.toContain('fourth')
  await summary.scrollIntoViewIfNeeded()
  await showInBothModes('summary')

  await meter.click()
  await details.getByText('Older messages are sent as a summary').waitFor()
  await page.keyboard.press('Escape')
  await page.reload()
  await line.waitFor()
  // The messages stay.
  await conversation.getByText(/\/demo chunks=3 delay=0 first/).waitFor({ state: 'attached' })
})
