// Threads from other products, and threads as files: import, a second import, export and print.
import { expect, test } from 'vitest'
import { chatGptArchive, sampleText } from '../support/import-files.ts'
import { type Chosen, importFile, json, section, status } from './importing.ts'
import { enterAt } from './keys.ts'
import { printed, recordPrints, savedBy } from './saved-files.ts'
import { setStage, show } from './stage.ts'
import type { UserPage } from './user-page.ts'

const { openComposer, newDevice, newUser } = setStage()

const archive = async (): Promise<Chosen> => ({
  ...{ name: 'chatgpt.zip', mimeType: 'application/zip' },
  buffer: Buffer.from(await (await chatGptArchive()).arrayBuffer()),
})

test('imports an archive live for all devices, and the same archive again imports nothing', async () => {
  const one = await openComposer()
  const two = await newDevice(one)
  await two.open()
  await one.page.goto('/account/data')
  await importFile(one.page, await archive())
  await status(one.page).filter({ hasText: 'Import finished' }).waitFor()
  await section(one.page).getByText('2 threads imported · 5 problems').waitFor()
  await enterAt(one.page, section(one.page).getByText('Skipped or changed'))
  await expect
    .poll(() => section(one.page).getByRole('list').last().getByRole('listitem').allInnerTexts())
    .toEqual([
      'Color of the sky\n\nResults of tools were left out. · Message 2',
      'Color of the sky\n\nReferences without a source in the file were removed. · Message 2',
      'A picture\n\nAn image is missing. · Message 3',
      'Broken\n\nThe entry is damaged and was skipped.',
      'Nothing\n\nThe thread has no messages.',
    ])
  await two.threads.getByText('Color of the sky').click()
  await two.conversation.getByText('Its dust makes the sky butterscotch.').waitFor()
  await two.conversation.getByText('Air scatters short wavelengths more.').waitFor()
  await importFile(one.page, await archive())
  await section(one.page).getByText('No new threads · 2 threads already exist · 5 problems').waitFor()
  await importFile(one.page, await archive())
  await section(one.page).getByText('No new threads').waitFor()
})

test('an imported image is stored, and the links of the result open the thread', async () => {
  const { page, conversation } = await openComposer()
  await page.goto('/account/data')
  await importFile(page, await archive())
  await enterAt(page, section(page).getByRole('link', { name: 'A picture' }))
  const image = conversation.getByRole('button', { name: 'Open file_00000000abcd-sanitized.png' }).locator('img')
  await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(4)
})

test('a phone imports several files at once', async () => {
  const { page } = await openComposer({ phone: true })
  await page.goto('/account/data')
  const chooser = page.waitForEvent('filechooser')
  await section(page).getByRole('button', { name: 'Choose files…' }).tap()
  await (await chooser).setFiles([
    json('librechat.json', sampleText('librechat-tree')),
    json('claude.json', sampleText('claude-conversations')),
    json('webui.json', sampleText('open-webui')),
  ])
  await section(page).getByText('5 threads imported').waitFor()
  await section(page).getByRole('link', { name: 'Sourdough' }).waitFor()
})

test('exports a thread as Markdown and JSON, and prints all of its messages', async () => {
  const { page, send, untilAnswered, threads } = await openComposer()
  const [text, title] = ['/demo chunks=2 delay=0 kept', 'Kept']
  await recordPrints(page)
  await send(text)
  await untilAnswered()
  await threads.getByText(title, { exact: true }).waitFor()
  const choose = async (action: string) => {
    await threads.getByRole('listitem').filter({ hasText: title }).hover()
    await threads.getByRole('button', { name: `More for ${title}` }).press('Enter')
    await page.getByRole('menuitem', { name: 'Export' }).press('ArrowRight')
    await page.getByRole('menuitem', { name: action }).press('Enter')
  }
  const saved = (action: string) => savedBy(page, () => choose(action))
  expect(await saved('Markdown')).toMatch(/^# Kept\n\n\*\*You\*\*\n\n\/demo chunks=2 delay=0 kept\n\n\*\*.+\*\*\n\n.+/s)
  const file = await saved('JSON')
  expect(JSON.parse(file)).toMatchObject({ product: 'Parley', messages: { length: 2 } })
  await choose('Print or save as PDF')
  await expect.poll(() => printed(page)).toContain(`You${text}`)
  await page.locator('.print-document').waitFor({ state: 'detached' })
  await page.goto('/account/data')
  await importFile(page, json('thread.json', file))
  await section(page).getByText('No new threads · 1 thread already exists').waitFor()
})

/** A user whose socket delivers nothing while it is held. The page sends, and waits for the server. */
async function withSlowServer(): Promise<{ readonly user: UserPage; readonly hold: () => void; readonly release: () => void }> {
  const user = await newUser()
  let isHeld = false
  let waiting: (() => void)[] = []
  await user.context.routeWebSocket(/\/sync\//, (socket) => {
    const server = socket.connectToServer()
    server.onMessage((message) => {
      const deliver = () => socket.send(message)
      if (isHeld) waiting.push(deliver)
      else deliver()
    })
  })
  await user.open()
  const hold = () => {
    isHeld = true
  }
  const release = () => {
    isHeld = false
    for (const deliver of waiting) deliver()
    waiting = []
  }
  return { user, hold, release }
}

test('a loading toast shows while an export, an import on another page or a new link takes long, and ends with it', async () => {
  const { user, hold, release } = await withSlowServer()
  const { page, threads } = user
  const loading = (text: string) => page.locator('[data-sonner-toast][data-type="loading"]').filter({ hasText: text })
  await user.send('/demo chunks=2 delay=0 kept')
  await user.untilAnswered()
  const choose = async (...items: readonly string[]) => {
    await threads.getByRole('listitem').first().hover()
    await threads.getByRole('button', { name: /^More for/ }).press('Enter')
    for (const name of items) await page.getByRole('menuitem', { name }).press('Enter')
  }

  hold()
  await choose('Export', 'Markdown')
  await loading('Exporting the thread').waitFor()
  await show(user, 'toast-loading')
  expect(await savedBy(page, async () => release())).toContain('kept')
  await loading('Exporting the thread').waitFor({ state: 'detached' })

  await choose('Share')
  hold()
  await page.getByRole('button', { name: 'Create and copy link' }).click()
  await loading('Creating the link').waitFor()
  release()
  await page.getByRole('dialog').getByRole('listitem').waitFor()
  await loading('Creating the link').waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')

  await page.goto('/account/data')
  const { promise: isReleased, resolve: deliver } = Promise.withResolvers<void>()
  await page.route('**/api/account/export', async (route) => {
    await isReleased
    await route.continue()
  })
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download my data' }).click()
  await loading('Preparing your data').waitFor()
  deliver()
  await download
  await loading('Preparing your data').waitFor({ state: 'detached' })

  hold()
  await importFile(page, json('claude.json', sampleText('claude-conversations')))
  await status(page).filter({ hasText: 'Importing claude.json' }).waitFor()
  expect(await page.locator('[data-sonner-toast]').count()).toBe(0)
  await page.keyboard.press('Control+Shift+O')
  await loading('Importing claude.json').waitFor()
  release()
  await page.locator('[data-sonner-toast]').filter({ hasText: 'Import finished' }).waitFor()
  await loading('Importing claude.json').waitFor({ state: 'detached' })
})

test('a file without threads names the exports that are read, and shows why it was skipped', async () => {
  const { page } = await openComposer()
  await page.goto('/account/data')
  await importFile(page, json('package.json', '{"name": "parley", "private": true}'))
  await status(page)
    .filter({ hasText: 'No threads found. Choose the export of ChatGPT, Claude, DeepSeek, LibreChat, Open WebUI or Parley' })
    .waitFor()
  await section(page).getByText('The format is unknown.').waitFor()
  await importFile(page, json('one-comma-too-many.json', '{"conversationId":"a","messages":[{"messageId":"m","text":"Hi"},],}'))
  await section(page).getByText('The file is damaged.').waitFor()
})
