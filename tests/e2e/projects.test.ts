// The page of a project. Pins, projects and the archive in the sidebar and on their pages, seen on a second device.

import { expect, test } from 'vitest'
import { creditsPerDay } from '../../worker/contract/limits.ts'
import { connectRaw, sendArgs } from '../product/attack-wire.ts'
import { newGuest } from '../support/guest.ts'
import { unlimitedWrites } from '../support/product.ts'
import { openRecord } from '../support/record-file.ts'
import { serverAway } from '../support/server-away.ts'
import { enter, openWith } from './palette-keys.ts'
import { insertThreads } from './past-threads.ts'
import { pathOf, setStage, show } from './stage.ts'
import type { UserPage } from './user-page.ts'
import { withoutSocket } from './without-socket.ts'

const { openComposer, openWithCookie, newDevice, product } = setStage({ product: { env: unlimitedWrites } })

const rowOf = ({ threads }: UserPage, title: string) => threads.getByRole('listitem').filter({ hasText: title })

async function choose(user: UserPage, title: string, action: string): Promise<void> {
  await rowOf(user, title).hover()
  await user.threads.getByRole('button', { name: `More for ${title}` }).click()
  await user.page.getByRole('menuitem', { name: action }).click()
}

async function createProject({ page }: UserPage, name: string, instructions: string): Promise<void> {
  await page.getByRole('link', { name: 'Projects' }).click()
  await page.getByRole('button', { name: 'New project', exact: true }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
  await page.getByRole('textbox', { name: 'Instructions' }).fill(instructions)
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name }).waitFor()
}

test('a project is created once, also for two submissions of its form', async () => {
  const { page } = await openComposer()
  await page.goto('/projects')
  await page.getByRole('button', { name: 'New project', exact: true }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('\u200b')
  const create = page.getByRole('button', { name: 'Create', exact: true })
  await expect.poll(() => create.getAttribute('aria-disabled')).toBe('true')
  await create.hover()
  await page.getByText('Enter a name of up to').waitFor()
  await page.getByRole('textbox', { name: 'Name' }).fill('Tea shop')
  await page.locator('[data-dialog] form').evaluate((form: HTMLFormElement) => {
    form.requestSubmit()
    form.requestSubmit()
  })
  await page.getByRole('heading', { name: 'Tea shop' }).waitFor()
  await page.goto('/projects')
  await page.getByRole('main').getByRole('link', { name: 'Tea shop' }).first().waitFor()
  expect(await page.getByRole('main').getByRole('link', { name: 'Tea shop' }).count()).toBe(1)
})

test('a project collects threads: new ones, and moved ones that can be moved back', async () => {
  const guest = await openComposer()
  await createProject(guest, 'Tea shop', 'Answer as a tea merchant.')
  await expect.poll(() => guest.composer.getAttribute('placeholder')).toBe('Ask in Tea shop')
  await guest.send('/demo chunks=2 delay=0 first')
  await guest.untilAnswered()
  await guest.startThread()
  await guest.send('/demo chunks=2 delay=0 second')
  await guest.untilAnswered()
  await choose(guest, 'second', 'Move to project…')
  await guest.page.getByRole('dialog').getByRole('button', { name: 'Tea shop' }).click()
  await guest.page.getByText('Thread moved to Tea shop').waitFor()
  await guest.page.getByRole('link', { name: 'Projects' }).click()
  await guest.page.getByRole('main').getByRole('link', { name: 'Tea shop' }).click()
  const links = guest.page.getByRole('main').getByRole('listitem')
  await expect.poll(() => links.count()).toBe(2)
  await guest.page.getByRole('button', { name: 'Remove Second from the project' }).click()
  await expect.poll(() => links.count()).toBe(1)
  // The toast of the move, which also has Undo, may still be there, below the new one.
  const removed = guest.page.getByRole('listitem').filter({ hasText: 'Thread removed from its project' })
  await removed.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => links.count()).toBe(2)
})

test('the sidebar lists the newest projects, marks the one that is open, and creates one', async () => {
  const guest = await openComposer()
  const { page, threads } = guest
  const sidebar = page.getByRole('complementary', { name: 'Sidebar' })
  const add = sidebar.getByRole('button', { name: 'New project' })
  const project = (name: string) => sidebar.getByRole('link', { name, exact: true })
  const isShown = () => add.evaluate((element) => getComputedStyle(element).opacity)
  const current = async () => [
    await project('Tea shop').getAttribute('aria-current'),
    await project('Coffee bar').getAttribute('aria-current'),
  ]
  const list = sidebar.getByRole('button', { name: 'Newest projects' })
  await page.mouse.move(700, 500)
  expect([await isShown(), await list.count()]).toEqual(['0', 0])
  for (const name of ['Tea shop', 'Coffee bar']) {
    await project('Projects').hover()
    expect(await isShown()).toBe('1')
    await add.click()
    await page.getByRole('textbox', { name: 'Name' }).fill(name)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name }).waitFor()
  }
  await expect.poll(() => sidebar.locator('a[href^="/project/"]').allInnerTexts()).toEqual(['Coffee bar', 'Tea shop'])
  await expect.poll(current).toEqual([null, 'page'])
  await project('Tea shop').click()
  await page.getByRole('heading', { name: 'Tea shop' }).waitFor()
  await expect.poll(current).toEqual(['page', null])
  await guest.send('/demo chunks=2 delay=0 first')
  await guest.untilAnswered()
  await expect.poll(current).toEqual(['true', null])
  const dot = threads.getByRole('link').getByRole('img', { name: 'Project Tea shop' })
  const { x = 0, width } = (await dot.boundingBox()) ?? {}
  const title = await threads.getByRole('link').getByText('first', { exact: false }).boundingBox()
  expect([width, x + 6 < (title?.x ?? 0)]).toEqual([6, true])
  await guest.startThread()
  await expect.poll(current).toEqual([null, null])

  expect(await list.getAttribute('aria-expanded')).toBe('true')
  await list.press('Enter')
  await project('Tea shop').waitFor({ state: 'detached' })
  await page.reload()
  await threads.getByRole('link').waitFor()
  expect([await list.getAttribute('aria-expanded'), await project('Tea shop').count()]).toEqual(['false', 0])
  await project('Projects').click()
  await page.getByRole('main').getByRole('link', { name: 'Coffee bar' }).waitFor()
  expect(await project('Projects').getAttribute('aria-current')).toBe('page')
})

test('a pin and the archive arrive on the other device', async () => {
  const one = await openComposer()
  await one.send('/demo chunks=2 delay=0 kept')
  await one.untilAnswered()
  const title = 'kept'
  const two = await openComposer({ storageState: await one.context.storageState() })
  await choose(one, title, 'Pin')
  await two.threads.getByRole('region', { name: 'Pinned' }).getByText(title).waitFor()
  await choose(two, title, 'Archive')
  await one.threads.getByText(title).waitFor({ state: 'detached' })
  await one.page.goto('/archive')
  await one.page.getByRole('button', { name: `Restore ${title}` }).click()
  await two.threads.getByRole('region', { name: 'Pinned' }).getByText(title).waitFor()
})

test('the other device shows a project when it is created, edited, deleted and restored', async () => {
  const one = await openComposer()
  const two = await newDevice(one, { phone: true })
  await two.page.goto('/projects')
  await two.page.getByText('No projects yet.').waitFor()
  const link = (name: string) => two.page.getByRole('main').getByRole('link', { name })
  await createProject(one, 'Tea shop', 'Answer as a tea merchant.')
  await link('Tea shop').click()
  const tab = (user: UserPage) => user.page.getByRole('tab', { name: 'Instructions' })
  const instructions = (user: UserPage) => user.page.getByRole('textbox', { name: 'Instructions' })
  for (const user of [one, two]) await tab(user).click()
  await expect.poll(() => instructions(two).inputValue()).toBe('Answer as a tea merchant.')

  const edit = () => one.page.getByRole('button', { name: 'Edit', exact: true }).click()
  await edit()
  await one.page.getByRole('textbox', { name: 'Name' }).fill('Coffee bar')
  await one.page.getByRole('button', { name: 'Save' }).click()
  await instructions(one).fill('Answer as a barista.')
  await two.page.getByRole('heading', { name: 'Coffee bar' }).waitFor()
  await expect.poll(() => instructions(two).inputValue()).toBe('Answer as a barista.')

  await edit()
  await one.page.getByRole('button', { name: 'Delete project' }).click()
  await two.page.getByText('This project does not exist, or it was deleted.').waitFor()
  await two.page.getByRole('link', { name: 'All projects' }).click()
  await two.page.getByText('No projects yet.').waitFor()
  await one.page.getByRole('button', { name: 'Undo' }).first().click()
  await link('Coffee bar').click()
  await tab(two).click()
  await expect.poll(() => instructions(two).inputValue()).toBe('Answer as a barista.')
})

test('files of a project arrive on the other device', async () => {
  const one = await openComposer()
  await createProject(one, 'Tea shop', '')
  const two = await openComposer({ storageState: await one.context.storageState() })
  await two.page.getByRole('link', { name: 'Projects' }).click()
  await two.page.getByRole('main').getByRole('link', { name: 'Tea shop' }).click()
  for (const { page } of [one, two]) {
    await page.getByRole('tab', { name: 'Files' }).click()
    await page.getByText('No files yet.').waitFor()
  }
  const link = ({ page }: UserPage) => page.getByRole('tabpanel', { name: 'Files' }).getByRole('link', { name: 'prices.txt' })
  const file = { name: 'prices.txt', mimeType: 'text/plain', buffer: Buffer.from('Green tea: 4 francs') }
  await one.page.getByLabel('Add files').setInputFiles(file)
  for (const user of [one, two]) await link(user).waitFor()
  await one.page.getByLabel('Add files').setInputFiles({ ...file, name: 'nothing.txt', buffer: Buffer.from('') })
  await one.page.getByText('nothing.txt').waitFor()
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    await one.page.setViewportSize({ width, height })
    for (const mode of ['light', 'dark'] as const) {
      await one.page.evaluate((name) => {
        document.documentElement.classList.remove('light', 'dark')
        document.documentElement.classList.add(name)
      }, mode)
      await show(one, `project-${width}-${mode}`)
    }
  }
  await one.page.setViewportSize({ width: 1440, height: 900 })
  await two.page.getByRole('button', { name: 'Remove prices.txt' }).click()
  await link(one).waitFor({ state: 'detached' })
  await two.page.getByRole('button', { name: 'Undo' }).first().click()
  for (const user of [one, two]) await link(user).waitFor()
})

test('a new thread starts with the model of the project, or with another one that is chosen for it', async () => {
  const guest = await openComposer()
  const { page } = guest
  await createProject(guest, 'Tea shop', '')
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit project' })
  const chosen = dialog.getByRole('button', { name: /^Model/ })
  expect(await chosen.innerText()).toBe('Last used model')
  await chosen.press('Enter')
  await page.getByRole('combobox', { name: 'Find model' }).waitFor()
  await page.keyboard.type('4o mini')
  await page.keyboard.press('Enter')
  await expect.poll(() => chosen.innerText()).toBe('GPT 4o Mini')
  await expect.poll(() => chosen.evaluate((button) => button === document.activeElement)).toBe(true)
  await show(guest, 'project-model')
  await dialog.getByRole('button', { name: 'Use the last used model' }).click()
  await expect.poll(() => chosen.innerText()).toBe('Last used model')
  await chosen.click()
  await page.getByRole('option', { name: /^GPT 4o Mini/ }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  const picker = page.getByRole('button', { name: 'Model', exact: true })
  const model = () => picker.getAttribute('aria-description')
  const pick = async (name: string) => {
    await picker.click()
    await page.getByRole('combobox', { name: 'Find model' }).fill(name)
    await page
      .getByRole('option', { name: new RegExp(`^${name}`) })
      .first()
      .click()
    await expect.poll(model).toBe(name)
  }
  await expect.poll(model).toBe('GPT 4o Mini')
  await pick('Kimi K2')
  // In the palette, too.
  await openWith(guest, 'gemini 2.5 flash')
  await enter(guest, /^Gemini 2.5 Flash/)
  await expect.poll(model).toBe('Gemini 2.5 Flash')
  await pick('GPT 4o Mini')
  await guest.send('/demo chunks=2 delay=0 first')
  await guest.untilAnswered()
  await guest.conversation.getByText('GPT 4o Mini').first().waitFor()
  await guest.startThread()
  await expect.poll(model).toBe('Kimi K2')
})

test('a first message that the server refuses returns to the page of its project', async () => {
  const user = await newGuest(product().url)
  const guest = await openWithCookie(user)
  const wire = await withoutSocket(guest)
  await guest.open()
  await createProject(guest, 'Tea shop', '')
  const path = pathOf(guest)
  await guest.page.getByText('20 credits left').waitFor()
  await wire.cut()
  await guest.send('Not to be lost')
  await expect.poll(() => pathOf(guest)).not.toBe(path)
  const raw = await connectRaw(user)
  await Promise.all(
    Array.from({ length: creditsPerDay.guest }, () => raw.mutate('threads.send', sendArgs({ text: '/demo chunks=1 delay=0' }))),
  )
  await raw.close()
  wire.mend()
  await expect.poll(() => pathOf(guest)).toBe(path)
  await expect.poll(() => guest.composer.inputValue()).toBe('Not to be lost')
  await guest.page.getByText('Daily usage limit reached').first().waitFor()
})

test('tabs of a project have addresses and arrow keys', async () => {
  const guest = await openComposer()
  const { page } = guest
  await createProject(guest, 'Tea shop', 'Answer as a tea merchant.')
  const path = pathOf(guest)
  const tab = (name: string) => page.getByRole('tab', { name })
  await tab('Threads').focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Instructions' }).waitFor()
  expect(pathOf(guest)).toBe(`${path}/instructions`)
  await page.goto(`${path}/files`)
  await page.getByText('No files yet.').waitFor()
  expect(await tab('Files').getAttribute('aria-selected')).toBe('true')
  // The draft of a new thread is the same on each tab.
  await guest.composer.fill('Green tea')
  await tab('Threads').click()
  await page.getByText('No threads in this project yet.').waitFor()
  expect(await guest.composer.inputValue()).toBe('Green tea')
})

test('a search appears with the eighth thread of a project', async () => {
  const guest = await openComposer()
  const { page } = guest
  const { user } = await (await page.request.get('/api/auth/get-session')).json()
  await createProject(guest, 'Tea shop', '')
  const path = pathOf(guest)
  await product().kill9()
  insertThreads(product(), user.id, 8)
  const record = openRecord(product().stateDir)
  record.prepare("update thread set projectId = ? where title <> 'Thread 8'").run(path.split('/').at(-1) ?? '')
  record.close()
  await product().restart()
  await page.goto(path)
  const rows = page.getByRole('main').getByRole('listitem')
  await expect.poll(() => rows.count()).toBe(7)
  const search = page.getByRole('searchbox', { name: 'Find a thread' })
  expect(await search.count()).toBe(0)
  await choose(guest, 'Thread 8', 'Move to project…')
  await page.getByRole('dialog').getByRole('button', { name: 'Tea shop' }).click()
  await search.fill('read 8')
  await expect.poll(() => rows.allInnerTexts()).toHaveLength(1)
  await search.fill('coffee')
  await page.getByText('No threads match your search.').waitFor()
  guest.ignoreErrors(serverAway)
})

test('a thread moves to a project by dragging and by the palette, and out of it again', async () => {
  const guest = await openComposer()
  const { page, threads } = guest
  await createProject(guest, 'Tea shop', '')
  await guest.open()
  await guest.send('/demo chunks=2 delay=0 dragged')
  await guest.untilAnswered()
  const targets = page.getByRole('region', { name: 'Move to project' })
  const drag = async (name: string) => {
    await threads.getByRole('link', { name: 'dragged' }).hover()
    await page.mouse.down()
    await page.mouse.move(120, 600, { steps: 4 })
    await targets.getByRole('listitem').filter({ hasText: name }).hover()
    await show(guest, `drag-${name.replaceAll(' ', '-')}`)
    await page.mouse.up()
    await targets.waitFor({ state: 'detached' })
  }
  await drag('Tea shop')
  await page.getByText('Thread moved to Tea shop').waitFor()
  await drag('No project')
  await page.getByText('Thread removed from its project').waitFor()

  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search threads and commands' }).fill('move tea')
  await page.getByRole('option', { name: 'Tea shop' }).click()
  await page.getByRole('link', { name: 'Projects' }).click()
  await page.getByRole('main').getByRole('link', { name: 'Tea shop' }).click()
  await page.getByRole('main').getByRole('listitem').getByText('dragged').waitFor()
})

test('the focus moves to the composer of the next page when navigation removes the focused control', async () => {
  const { page, composer } = await openComposer()
  await page.goto('/projects')
  await page.getByRole('button', { name: 'New project', exact: true }).press('Enter')
  await page.getByRole('textbox', { name: 'Name' }).fill('Tea shop')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Tea shop' }).waitFor()
  await expect.poll(() => composer.evaluate((field) => field === document.activeElement)).toBe(true)
})
