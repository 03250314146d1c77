// What helps to read a long answer: heads that stay in view, tables that can be copied, diagrams that open large.
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { problemsOf } from '../axe.ts'
import { setStage, show } from '../stage.ts'
import type { UserPage } from '../user-page.ts'

const { openComposer, newDevice } = setStage()

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

test('a table can be copied for a spreadsheet and saved as CSV, by pointer, keyboard and touch', async () => {
  const guest = await openComposer()
  await guest.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await answered(guest, 'Prices:\n\n| Name | Price |\n|---|--:|\n| Tea, "green" | 1 |\n| 汉字 | =2 |\n\nAfter it.')
  const tools = guest.conversation.getByRole('toolbar', { name: 'Table' })
  const opacity = () => tools.evaluate((element) => getComputedStyle(element).opacity)
  expect(await opacity()).toBe('0')
  await guest.conversation.getByRole('table').hover()
  await expect.poll(opacity).toBe('1')
  await show(guest, 'reading.table')
  expect(await problemsOf(guest)).toEqual([])
  await guest.page.mouse.move(0, 0)
  await expect.poll(opacity).toBe('0')
  const copy = tools.getByRole('button', { name: 'Copy table' })
  await copy.focus()
  await expect.poll(opacity).toBe('1')
  await guest.page.keyboard.press('Enter')
  await tools.getByRole('button', { name: 'Copied' }).waitFor()
  const copied = await guest.page.evaluate(async () => {
    const [item] = await navigator.clipboard.read()
    return Promise.all(['text/plain', 'text/html'].map(async (type) => (await item?.getType(type))?.text()))
  })
  expect(copied[0]).toBe('| Name | Price |\n| --- | --: |\n| Tea, "green" | 1 |\n| 汉字 | =2 |')
  expect(copied[1]).toContain('<td style="text-align:right">=2</td>')
  await guest.page.keyboard.press('ArrowRight')
  const [download] = await Promise.all([guest.page.waitForEvent('download'), guest.page.keyboard.press('Enter')])
  expect(download.suggestedFilename()).toBe('table.csv')
  const csv = await readFile(await download.path(), 'utf8')
  expect(csv).toBe('\ufeffName,Price\r\n"Tea, ""green""",1\r\n汉字,=2\r\n')

  const phone = await newDevice(guest, { phone: true })
  await phone.page.goto(guest.page.url())
  await expect
    .poll(() => phone.conversation.getByRole('toolbar', { name: 'Table' }).evaluate((all) => getComputedStyle(all).opacity))
    .toBe('1')
  await show(phone, 'reading.table.phone')
})

test('a diagram has the font of the page, scrolls on a phone with readable labels, and opens large with zoom and as a file', async () => {
  const guest = await openComposer()
  const names = Array.from({ length: 9 }, (_, at) => `  N${at}[Step ${at}] --> N${at + 1}[Step ${at + 1}]`)
  await answered(guest, `Steps:\n\n\`\`\`mermaid\nflowchart LR\n${names.join('\n')}\n\`\`\``)
  const diagram = guest.conversation.getByRole('button', { name: 'Open Flowchart' })
  const source = decodeURIComponent((await diagram.locator('img').getAttribute('src')) ?? '')
  expect(source).toMatch(/@font-face\{font-family:Geist;[^}]*src:url\(data:font\/woff2;base64,/)
  await guest.page.setViewportSize({ width: 390, height: 844 })
  const scroller = guest.conversation.locator('.md-diagram-scroller')
  /** The size on the screen of the labels, which are drawn with 14 px. */
  const labelPx = () => diagram.locator('img').evaluate((image: HTMLImageElement) => (14 * image.clientWidth) / image.naturalWidth)
  await expect.poll(async () => Math.round((await labelPx()) * 10) / 10).toBe(12)
  expect(await scroller.evaluate((box) => box.scrollWidth > box.clientWidth)).toBe(true)
  expect(await guest.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  expect(await guest.conversation.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0)
  await diagram.focus()
  await guest.page.keyboard.press('ArrowRight')
  await expect.poll(() => scroller.evaluate((box) => box.scrollLeft)).toBeGreaterThan(0)
  await show(guest, 'reading.diagram.phone')
  expect(await problemsOf(guest)).toEqual([])
  await guest.page.keyboard.press('Enter')
  const dialog = guest.page.getByRole('dialog', { name: 'Flowchart' })
  const picture = dialog.getByRole('img', { name: 'Flowchart, large' })
  const widthOf = async () => (await picture.boundingBox())?.width ?? 0
  await picture.waitFor()
  const fitted = await widthOf()
  await show(guest, 'reading.diagram')
  expect(await problemsOf(guest)).toEqual([])
  await guest.page.keyboard.press('+')
  await expect.poll(async () => Math.round((await widthOf()) / fitted)).toBe(2)
  await dialog.getByRole('button', { name: 'Zoom in' }).click()
  await expect.poll(async () => Math.round((await widthOf()) / fitted)).toBe(4)
  await guest.page.keyboard.press('0')
  await expect.poll(widthOf).toBe(fitted)
  const [download] = await Promise.all([guest.page.waitForEvent('download'), dialog.getByRole('link', { name: 'Download SVG' }).click()])
  expect(download.suggestedFilename()).toBe('Flowchart.svg')
  await guest.page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => diagram.evaluate((button) => button === document.activeElement)).toBe(true)
})

test('a message is edited in its place, with its draft, and on a phone in the composer', async () => {
  const guest = await openComposer()
  await answered(guest, 'One.')
  await answered(guest, 'Two.')
  await guest.composer.fill('for later')
  const field = guest.conversation.getByRole('textbox', { name: 'Message', exact: true })
  const edit = () => guest.conversation.getByRole('button', { name: 'Edit', exact: true }).first().click()
  const isFocused = () => guest.composer.evaluate((element) => element === document.activeElement)

  await edit()
  await expect.poll(() => field.inputValue()).toBe('/demo delay=0 say=One.')
  await expect.poll(isFocused).toBe(true)
  await guest.page.getByText('You are editing a message above.').waitFor()
  await show(guest, 'reading.edit')
  expect(await problemsOf(guest)).toEqual([])
  await guest.page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })
  expect(await guest.composer.inputValue()).toBe('for later')
  await expect.poll(isFocused).toBe(true)

  await edit()
  await field.fill('/demo delay=0 say=Three.')
  // The same draft, wherever the form stands.
  await guest.page.setViewportSize({ width: 390, height: 844 })
  await field.waitFor({ state: 'detached' })
  expect(await guest.composer.inputValue()).toBe('/demo delay=0 say=Three.')
  await guest.page.getByRole('button', { name: 'Cancel editing' }).waitFor()
  await guest.page.setViewportSize({ width: 1440, height: 900 })
  await field.waitFor()
  await expect.poll(() => guest.page.evaluate(() => JSON.stringify(localStorage))).toContain('say=Three.')
  await guest.page.reload()
  await expect.poll(() => field.inputValue()).toBe('/demo delay=0 say=Three.')
  await field.focus()
  await guest.page.keyboard.press('Control+Enter')
  await guest.conversation.getByText('Three.', { exact: true }).waitFor()
  await guest.conversation.getByText('2 of 2').waitFor()
  await expect.poll(() => guest.composer.inputValue()).toBe('for later')
})
