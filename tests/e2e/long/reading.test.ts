// What helps to read a long answer: heads that stay in view, tables that can be copied, diagrams that open large.
import { expect, test } from 'vitest'
import { setStage, show } from '../stage.ts'
import type { UserPage } from '../user-page.ts'

const { openComposer } = setStage()

/** Sends a message to which the demo model replies with `text`, and waits for the answer. */
const answered = async (user: UserPage, text: string) => {
  await user.send(`/demo delay=0 say=${text}`)
  await user.untilAnswered()
}

const topOf = (user: UserPage, selector: string) =>
  user.page
    .locator(selector)
    .first()
    .evaluate((element) => Math.round(element.getBoundingClientRect().top))

const scrollTo = ({ conversation }: UserPage, topPx: number) =>
  conversation.evaluate((log, top) => {
    log.scrollTop = top
  }, topPx)

const longCode = `\`\`\`ts\n${Array.from({ length: 80 }, (_, line) => `const value${line} = ${line}`).join('\n')}\n\`\`\``

test('the head of a long code block stays below the header of the thread, and copies in words', async () => {
  const guest = await openComposer()
  await guest.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await answered(guest, `Code:\n\n${longCode}\n\nAfter it.`)
  await scrollTo(guest, 900)
  await expect.poll(() => topOf(guest, '.md-code-head')).toBe(48)
  expect(await topOf(guest, '.md-code pre')).toBeLessThan(0)
  await show(guest, 'reading.code')
  const copy = guest.conversation.getByRole('button', { name: 'Copy code' })
  expect(await copy.innerText()).toContain('Copy')
  await copy.click()
  await guest.conversation.getByText('Copied', { exact: true }).first().waitFor()
  expect(await guest.page.evaluate(() => navigator.clipboard.readText())).toMatch(/^const value0 = 0\n[\s\S]*value79 = 79$/)
})
