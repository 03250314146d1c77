// Features by keyboard alone, on a desktop and on a phone. The focus moves only by keys, so every control is also shown to be in the order of Tab.
import { describe, expect, test } from 'vitest'
import { chooseItem, enterAt, expectRows, focused, isFocused, pointedAt, pressKeys, tabTo } from '../keys.ts'
import { insertThreads } from '../past-threads.ts'
import { printed, recordPrints, savedBy } from '../saved-files.ts'
import { setStage, show } from '../stage.ts'
import type { UserPage } from '../user-page.ts'

const { openComposer, product } = setStage()

const button = ({ page }: Pick<UserPage, 'page'>, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const main = ({ page }: UserPage) => page.getByRole('main')
const expectFocus = (...of: Parameters<typeof isFocused>) => expect.poll(() => isFocused(...of)).toBe(true)

async function write({ page, composer }: UserPage, text: string): Promise<void> {
  await tabTo(page, composer)
  await page.keyboard.type(text)
}

/** Control with Enter also sends where Enter starts a new line. */
async function ask(user: UserPage, text: string): Promise<void> {
  await write(user, text)
  await pressKeys(user.page, 'Control+Enter')
  await user.untilAnswered()
}

/** An item of the menu of a thread in the open sidebar. */
async function choose({ page, threads }: UserPage, title: string, item: string): Promise<void> {
  await enterAt(page, threads.getByRole('button', { name: `More for ${title}` }))
  await chooseItem(page, item)
}

describe.each([
  ['desktop', false],
  ['phone', true],
] as const)('on a %s', (device, phone) => {
  /** On a phone the sidebar is a sheet, which closes when a page opens. */
  const openSidebar = async (user: UserPage) => {
    if (phone) await enterAt(user.page, button(user, 'Open sidebar'))
  }
  const closeSidebar = async (user: UserPage) => {
    if (phone) await enterAt(user.page, button(user, 'Close sidebar'))
  }

  test('a project is created, and a thread moves into it and out, is pinned and archived', async () => {
    const user = await openComposer({ phone })
    const { page, threads } = user
    const title = 'Kept'
    await ask(user, '/demo chunks=2 delay=0 kept')
    await openSidebar(user)
    await enterAt(page, page.getByRole('link', { name: 'Projects' }))
    await enterAt(page, button(user, 'New project'))
    const dialog = page.getByRole('dialog', { name: 'New project' })
    await expectFocus(dialog.getByRole('textbox', { name: 'Name' }))
    await page.keyboard.type('Tea shop')
    await tabTo(page, dialog.getByRole('radio', { name: 'gray' }))
    await pressKeys(page, 'ArrowRight')
    await expect.poll(() => dialog.getByRole('radio', { name: 'red' }).isChecked()).toBe(true)
    await tabTo(page, dialog.getByRole('textbox', { name: 'Instructions' }))
    await page.keyboard.type('Answer as a tea merchant.')
    await enterAt(page, dialog.getByRole('button', { name: 'Create' }))
    await page.getByRole('heading', { name: 'Tea shop' }).waitFor()

    await openSidebar(user)
    await choose(user, title, 'Move to project…')
    await enterAt(page, page.getByRole('dialog', { name: 'Move to project' }).getByRole('button', { name: 'Tea shop' }))
    await page.getByText('Thread moved to Tea shop').waitFor()
    await closeSidebar(user)
    await enterAt(page, button(user, `Remove ${title} from the project`))
    await page.getByText('No threads in this project yet.').waitFor()

    await openSidebar(user)
    await choose(user, title, 'Pin')
    const group = threads.getByRole('region', { name: 'Pinned' })
    const pinned = group.getByText(title)
    await pinned.waitFor()
    // The focus follows the row.
    await expectFocus(group.getByRole('button', { name: `More for ${title}` }))
    await show(user, `keys-pinned-${device}`)
    await choose(user, title, 'Archive')
    await pinned.waitFor({ state: 'detached' })
    await enterAt(page, page.getByRole('link', { name: 'Archive' }))
    await enterAt(page, button(user, `Restore ${title}`))
    await page.getByText('No archived threads.').waitFor()
    await openSidebar(user)
    await pinned.waitFor()
  })

  test('a thread is renamed in its row', async () => {
    const user = await openComposer({ phone })
    const { page, threads } = user
    await ask(user, '/demo chunks=2 delay=0 kept')
    await openSidebar(user)
    const link = (name: string) => threads.getByRole('link', { name })
    const field = threads.getByRole('textbox', { name: 'Title' })
    await tabTo(page, link('Kept'))
    await pressKeys(page, 'F2')
    await expectFocus(field)
    // The title is selected.
    await page.keyboard.type('Lost')
    await pressKeys(page, 'Escape')
    await expectFocus(link('Kept'))
    await choose(user, 'Kept', 'Rename')
    await expectFocus(field)
    await page.keyboard.type('Found')
    await show(user, `keys-rename-${device}`)
    await pressKeys(page, 'Enter')
    await expectFocus(link('Found'))
    // An empty title is not saved. Leaving the field saves.
    await pressKeys(page, 'F2')
    await expectFocus(field)
    await pressKeys(page, 'Backspace Enter')
    await expectFocus(link('Found'))
    await pressKeys(page, 'F2')
    await expectFocus(field)
    await page.keyboard.type('Kept')
    await pressKeys(page, 'Tab')
    await link('Kept').waitFor()
  })

  test('several threads are selected, exported in each format and moved', async () => {
    const user = await openComposer({ phone })
    const { page, threads } = user
    const { user: account } = await (await page.request.get('/api/auth/get-session')).json()
    await product().kill9()
    insertThreads(product(), account.id, 3)
    await product().restart()
    await user.open()
    await recordPrints(page)
    await openSidebar(user)
    await tabTo(page, threads.getByRole('link', { name: 'Thread 1' }))
    await pressKeys(page, 'Control+Enter')
    await expectFocus(threads.getByRole('checkbox', { name: 'Thread 1' }))
    await pressKeys(page, 'Shift+ArrowDown')
    const bar = page.getByRole('toolbar', { name: 'Selected threads' })
    await expect.poll(() => bar.getByRole('status').innerText()).toBe('2 selected')
    expect(await bar.getByRole('status').evaluate((text) => text.scrollWidth <= text.clientWidth)).toBe(true)
    await pressKeys(page, 'Tab')
    await expect.poll(focused(page)).toBe('End selection')
    await expectRows(
      page,
      [
        ['End', 'Delete'],
        ['Home', 'End selection'],
        ['ArrowRight', 'Select all'],
        ['ArrowRight', 'Move to project…'],
        ['ArrowRight', 'Archive'],
        ['ArrowRight', 'Export'],
      ],
      focused(page),
    )
    const exported = async (item: string) => {
      // The focus returns here when the menu has closed.
      await expectFocus(bar.getByRole('button', { name: 'Export' }))
      await pressKeys(page, 'Enter')
      await chooseItem(page, item)
    }
    expect(await savedBy(page, () => exported('Markdown'))).toMatch(/^# Thread 1\n.*Tea.*\n---\n\n# Thread 2\n.*Tea\n$/s)
    const file = JSON.parse(await savedBy(page, () => exported('JSON')))
    expect(file.threads.map((thread: { readonly title: string }) => thread.title)).toEqual(['Thread 1', 'Thread 2'])
    expect(file.messages).toHaveLength(2)
    await exported('Print or save as PDF')
    await expect.poll(() => printed(page)).toMatch(/Thread 1.*Tea.*Thread 2.*Tea/s)
    await expectFocus(bar.getByRole('button', { name: 'Export' }))
    await show(user, `keys-selection-${device}`)

    await expectRows(page, [['ArrowLeft ArrowLeft', 'Move to project…']], focused(page))
    await pressKeys(page, 'Enter')
    await expectFocus(page.getByRole('dialog', { name: 'Move to project' }).getByRole('textbox', { name: 'New project' }))
    await page.keyboard.type('Tea shop')
    await pressKeys(page, 'Enter')
    await page.getByText('2 threads moved to Tea shop').waitFor()
    await bar.waitFor({ state: 'detached' })
    await enterAt(page, page.getByRole('link', { name: 'Projects' }))
    await enterAt(page, main(user).getByRole('link', { name: 'Tea shop' }))
    await expect.poll(() => main(user).getByRole('listitem').count()).toBe(2)
  })

  test('two models answer one question, and the thread continues with the second answer', async () => {
    const user = await openComposer({ phone })
    const { page, conversation } = user
    const names = ['Kimi K2', 'GPT 4o Mini'] as const
    const columnOf = (name: string) => page.getByRole('article', { name: `Answer of ${name}` })
    await page.getByRole('button', { name: 'Model', exact: true, description: names[0] }).waitFor()
    await enterAt(page, button(user, 'Model'))
    const dialog = page.getByRole('dialog', { name: 'Choose a model' })
    await enterAt(page, dialog.getByRole('button', { name: 'Compare' }))
    await tabTo(page, dialog.getByRole('combobox', { name: 'Find model' }), 'Shift+Tab')
    await page.keyboard.type(names[1])
    await expect.poll(pointedAt(page)).toBe(names[1])
    await pressKeys(page, 'Enter')
    await dialog.getByText('2 of 3 models').waitFor()
    await enterAt(page, dialog.getByRole('button', { name: 'Done' }))
    await dialog.waitFor({ state: 'detached' })
    await write(user, '/demo chunks=3 delay=0')
    await pressKeys(page, 'Control+Enter')
    for (const name of names) await columnOf(name).getByText('word3').waitFor()
    if (phone) {
      await tabTo(page, button(user, `Show the answer of ${names[0]}`))
      await pressKeys(page, 'ArrowRight')
      await expect.poll(focused(page)).toBe(`Show the answer of ${names[1]}`)
      await pressKeys(page, 'Enter')
      const isInView = async () => {
        const box = await columnOf(names[1]).boundingBox()
        return box !== null && box.x >= 0 && box.x + box.width <= 390
      }
      await expect.poll(isInView).toBe(true)
    }
    await show(user, `keys-comparison-${device}`)
    await page.getByText(`Your next message continues from ${names[0]}'s answer.`).waitFor()
    await enterAt(page, columnOf(names[1]).getByRole('button', { name: 'Continue with this' }))
    await columnOf(names[1]).waitFor({ state: 'detached' })
    await conversation.getByText('2 of 2').waitFor()
    await ask(user, '/demo chunks=2 delay=0')
    await expect.poll(user.answers).toBe(2)
  })
})
