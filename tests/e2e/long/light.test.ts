/** Accessibility of message content besides text, in both colour modes, on desktop and phone: files, pictures, searches, a research. */
import { expect, test } from 'vitest'
import { pdf, squareOf } from '../../support/sample-files.ts'
import { problemsInBothModes } from '../axe.ts'
import { setStage, show } from '../stage.ts'
import { chooseMode, type UserPage } from '../user-page.ts'

const { openComposer, newSignedInUser } = setStage()

const sizes = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const

/** Expects no axe problem in any variant. */
async function look(user: UserPage, name: string): Promise<void> {
  for (const [device, size] of Object.entries(sizes)) {
    await user.page.setViewportSize(size)
    const problems = await problemsInBothModes(user, (mode) => show(user, `${name}.${device}.${mode}`))
    expect(problems, `${name}, ${device}`).toEqual({})
    expect(await user.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  }
}

const button = ({ page }: UserPage, name: string | RegExp) => page.getByRole('button', { name, exact: true })

test('files of a question, pictures of an answer, and one of them in the lightbox', async () => {
  const guest = await openComposer()
  await guest.page.getByLabel('Files', { exact: true }).setInputFiles([
    { name: 'a white wall.png', mimeType: 'image/png', buffer: Buffer.from(squareOf(600, 'white')) },
    { name: 'paper.pdf', mimeType: 'application/pdf', buffer: Buffer.from(pdf) },
    { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Notes') },
  ])
  await button(guest, 'Remove notes.txt').waitFor()
  await look(guest, 'light-composer-files')
  await chooseModel(guest)
  await guest.send('/demo draw chunks=12 delay=0')
  await guest.untilAnswered()
  await button(guest, 'Open Picture 1.png')
    .locator('img')
    .evaluate((image: HTMLImageElement) => image.decode())
  await look(guest, 'light-files')
  await button(guest, 'Open Picture 1.png').click()
  await guest.page.getByRole('dialog').getByRole('img').waitFor()
  await look(guest, 'light-picture-large')
  await guest.page.keyboard.press('Escape')
  await button(guest, 'Open a white wall.png').click()
  await guest.page.getByRole('dialog').getByRole('img').waitFor()
  await look(guest, 'light-white-large')
})

/** A model that reads PDFs. */
async function chooseModel({ page }: UserPage): Promise<void> {
  await page.getByRole('button', { name: 'Model', exact: true }).click()
  await page.getByRole('combobox', { name: 'Find model' }).fill('GPT 4o Mini')
  await page.getByRole('option', { name: /^GPT 4o Mini/ }).click()
}

test('searches and pages with their sources', async () => {
  const guest = await openComposer()
  await chooseMode(guest, 'Search')
  await guest.send('/demo delay=0 search=why do the tides follow the moon')
  await guest.untilAnswered()
  await button(guest, 'Searched the web · read 2 pages').click()
  await guest.conversation.getByText('library.parley.example · 2026-03-14').first().waitFor()
  await look(guest, 'light-search')
})

test('a plan and its result', async () => {
  const mira = await newSignedInUser('mira-in-the-light@example.test')
  await mira.page.goto('/api/checkout')
  await mira.page.getByRole('button', { name: 'Subscribe' }).click()
  await mira.page.getByRole('dialog', { name: 'Welcome to PRO' }).waitFor()
  await mira.open()
  await chooseMode(mira, 'Research')
  await mira.send('/demo delay=0 search=how bread rises')
  await button(mira, 'Start research').waitFor()
  await look(mira, 'light-plan')
  await button(mira, 'Start research').click()
  const work = button(mira, /^Researched \d questions/)
  await work.waitFor()
  await mira.untilAnswered()
  await work.click()
  const steps = mira.conversation.getByRole('list', { name: 'Questions of the research' })
  await steps.getByRole('button').first().click()
  await look(mira, 'light-research')
})
