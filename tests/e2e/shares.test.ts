// Shared links, by keyboard: create, copy, open without a script, continue in a copy, revoke; seen live on a second device.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { sharedBrowser } from '../support/browser.ts'
import { problemsInBothModes } from './axe.ts'
import { pathOf, setStage, show } from './stage.ts'
import type { UserPage } from './user-page.ts'

const { openComposer, newUser, newDevice, product } = setStage()

/** Moves the focus with Tab until the element with this name has it. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const target = page
    .getByRole('button', { name })
    .or(page.getByRole('switch', { name }))
    .or(page.getByRole('textbox', { name }))
    .or(page.getByRole('link', { name }))
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab')
    if (await target.first().evaluate((node) => node === document.activeElement)) return
  }
  throw new Error(`Tab does not reach ${name}`)
}

async function openDialog({ page }: UserPage): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search threads and commands' }).fill('share thread')
  await page.getByRole('option', { name: 'Share thread' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Share thread' }).waitFor()
}

/** The address of the newest link in the open dialog. */
const addressIn = async ({ page }: UserPage): Promise<string> =>
  (await page.getByRole('dialog').getByRole('list', { name: 'Links to this thread' }).getByRole('link').first().getAttribute('href')) ?? ''

/** The address of a new link, which is created with the defaults. */
async function createLink(owner: UserPage): Promise<string> {
  await openDialog(owner)
  await owner.page.getByRole('button', { name: 'Create and copy link' }).click()
  await owner.page.getByRole('dialog').getByRole('listitem').waitFor()
  return addressIn(owner)
}

const answer =
  '# Tea\n\nIt grows in **Assam** and [Darjeeling](https://tea.example/).[^1]\n\n| Region | Altitude |\n|--|--:|\n| Assam | 50 m |\n\n```js\nconst cups = 2\n```\n\n$$\n\\lambda = \\frac{h}{p}\n$$\n\n[^1]: And in Nilgiri.'

test('a thread is shared and revoked by keyboard', async () => {
  const owner = await openComposer()
  await owner.send(`/demo delay=0 say=${answer}`)
  await owner.untilAnswered()
  const second = await newDevice(owner)
  await second.page.goto('/account/data')
  await second.page.getByText('No shared links.').waitFor()

  await openDialog(owner)
  await tabTo(owner.page, 'Show your name')
  await owner.page.keyboard.press('Space')
  await owner.page.getByRole('textbox', { name: 'Name on the page' }).waitFor()
  await tabTo(owner.page, 'Name on the page')
  await owner.page.keyboard.press('Control+a')
  await owner.page.keyboard.type('Ada')
  await tabTo(owner.page, /^Expires/)
  await owner.page.keyboard.press('Enter')
  await owner.page.getByRole('menuitemradio', { name: 'After 7 days' }).waitFor()
  await owner.page.keyboard.press('ArrowDown')
  await owner.page.keyboard.press('ArrowDown')
  await owner.page.keyboard.press('Enter')
  await show(owner, 'share-dialog-new')
  await owner.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const copied = () => owner.page.evaluate(() => navigator.clipboard.readText())
  await tabTo(owner.page, 'Create and copy link')
  await owner.page.keyboard.press('Enter')
  await owner.page
    .getByRole('dialog')
    .getByText(/· Ada$/)
    .waitFor()
  const address = await addressIn(owner)
  await expect.poll(copied).toBe(address)
  expect(await owner.page.getByRole('textbox', { name: 'Link' }).inputValue()).toBe(address)
  await owner.page.getByText('Link created and copied').waitFor()
  const copyButton = owner.page.getByRole('button', { name: 'Copy link', exact: true })
  await expect.poll(() => copyButton.evaluate((button) => button === document.activeElement)).toBe(true)
  await show(owner, 'share-dialog')
  await owner.page.evaluate(() => navigator.clipboard.writeText(''))
  await owner.page.keyboard.press('Enter')
  await owner.page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await copied()).toBe(address)

  const item = second.page.getByRole('region', { name: 'Shared links' }).getByRole('listitem')
  await expect.poll(() => item.count()).toBe(1)
  expect(await item.innerText()).toContain('Expires')
  await item.scrollIntoViewIfNeeded()
  await show(second, 'share-list')

  const visitor = await (await sharedBrowser()).newContext({
    javaScriptEnabled: false,
    viewport: { width: 1440, height: 900 },
  })
  const page = await visitor.newPage()
  await page.goto(address)
  await page.getByRole('article').getByRole('heading', { name: 'Tea', exact: true }).waitFor()
  expect(await page.getByText('Shared by Ada').count()).toBe(1)
  expect(
    await page
      .locator('td')
      .last()
      .evaluate((cell) => getComputedStyle(cell).textAlign),
  ).toBe('right')
  expect(await page.locator('.tok-keyword').innerText()).toBe('const')
  expect(await page.getByRole('button').count()).toBe(0)
  expect(await page.locator('math mfrac').count()).toBe(1)
  expect(await page.getByRole('region', { name: 'Footnotes' }).innerText()).toContain('And in Nilgiri.')
  expect(await page.getByRole('link', { name: 'Darjeeling' }).getAttribute('rel')).toBe('nofollow ugc noopener noreferrer')

  await tabTo(owner.page, /^Copy the link/)
  await owner.page.keyboard.press('Enter')
  await owner.page.getByRole('dialog').getByText('Copied', { exact: true }).first().waitFor()
  await tabTo(owner.page, /^Revoke the link/)
  await owner.page.keyboard.press('Enter')
  await owner.page.getByRole('alertdialog', { name: 'Revoke link' }).waitFor()
  await tabTo(owner.page, /^Revoke$/)
  await owner.page.keyboard.press('Enter')
  await expect.poll(() => item.count()).toBe(0)
  expect((await page.goto(address))?.status()).toBe(404)
  await page.getByRole('heading', { name: "This page isn't available" }).waitFor()
  await visitor.close()
})

test('the dialog offers the link of the last message, and another one with other settings', async () => {
  const owner = await openComposer()
  await owner.send('/demo delay=0 chunks=2')
  await owner.untilAnswered()
  const address = await createLink(owner)
  const dialog = owner.page.getByRole('dialog')
  const shown = () => dialog.getByRole('textbox', { name: 'Link' }).inputValue()
  expect(await dialog.getByRole('switch', { name: 'Show your name' }).count()).toBe(0)
  await dialog.getByRole('button', { name: 'New link with other settings' }).click()
  await show(owner, 'share-dialog-other')
  await dialog.getByRole('button', { name: 'Create and copy link' }).click()
  await expect.poll(() => dialog.getByRole('listitem').count()).toBe(2)
  await expect.poll(shown).not.toBe(address)
  expect(await dialog.getByRole('button', { name: 'Create and copy link' }).count()).toBe(0)
  await owner.page.keyboard.press('Escape')

  await openDialog(owner)
  await expect.poll(shown).not.toBe(address)
  await owner.page.keyboard.press('Escape')
  await owner.send('/demo delay=0 chunks=2')
  await owner.untilAnswered()
  await openDialog(owner)
  await dialog.getByRole('button', { name: 'Create and copy link' }).waitFor()
  expect(await dialog.getByRole('textbox', { name: 'Link' }).count()).toBe(0)
})

test('a visitor continues in an own copy, once, as a guest', async () => {
  const owner = await openComposer()
  await owner.send(`/demo delay=0 say=${answer}`)
  await owner.untilAnswered()
  const address = await createLink(owner)

  const visitor = await newUser()
  await visitor.page.goto(address)
  await visitor.page.getByRole('link', { name: 'Continue in your own copy' }).focus()
  await visitor.page.keyboard.press('Enter')
  await visitor.conversation.getByRole('heading', { name: 'Tea', exact: true }).waitFor()
  await visitor.send('/demo chunks=2 delay=0')
  await visitor.untilAnswered()
  expect(await visitor.threads.getByRole('listitem').count()).toBe(1)
  // The address that made the copy is not in the history.
  await visitor.page.goBack()
  await visitor.page.getByRole('link', { name: 'Continue in your own copy' }).waitFor()
  // The owner's thread is unchanged.
  expect(await owner.answers()).toBe(1)
})

test('a link on another site adds no thread before the visitor confirms', async () => {
  const owner = await openComposer()
  await owner.send('/demo chunks=2 delay=0')
  await owner.untilAnswered()
  const id = (await createLink(owner)).split('/').at(-1)
  const visitor = await openComposer()
  const path = `/continue/${id}?copy=${'c'.repeat(21)}`
  await visitor.page.goto(path)
  await visitor.page.getByRole('heading', { name: 'Continue in your own copy' }).waitFor()
  expect(await visitor.threads.getByRole('listitem').count()).toBe(0)
  await visitor.page.getByRole('button', { name: 'Continue', exact: true }).click()
  await visitor.conversation.getByText('word2').waitFor()
  expect(pathOf(visitor)).toBe(`/${'c'.repeat(21)}`)
  // The same address again opens the same copy.
  await visitor.page.goto(path)
  await visitor.page.getByRole('button', { name: 'Continue', exact: true }).click()
  await visitor.conversation.getByText('word2').waitFor()
  expect(await visitor.threads.getByRole('listitem').count()).toBe(1)
})

const everything = [
  answer,
  '| Left | Centre | Right |\n|:--|:-:|--:|\n| Assam | 2,000 | 50 m |\n| Darjeeling and a longer text | 9 | 2,100 m |',
  'Inline $e^{i\\pi}+1=0$, $\\vec{v}\\in\\mathbb{R}^n$ and $\\hat{y}=\\mathbf{W}x$.',
  '$$\n\\begin{align}(a+b)^2&=a^2+2ab+b^2\\\\a^2&=(a+b)^2-2ab-b^2\\end{align}\n$$',
  '$$\nA=\\left(\\begin{array}{cc|c}1&2&3\\\\4&5&6\\end{array}\\right),\\quad f(x)=\\begin{cases}\\sqrt{x}&x\\ge0\\\\\\sum_{i=1}^n\\frac{1}{i}&x<0\\end{cases}\n$$',
  `$$\n${Array.from({ length: 30 }, (_, index) => `x_{${index}}`).join('+')}\n$$`,
  '$\\boxed{x=\\cancel{2}}$ and $\\ce{2H2 + O2 -> 2H2O}$ and $\\href{https://evil.example}{x}$',
  '```python\ndef brew(cups: int) -> str:\n    return f"{cups} cups"  # hot\n```',
  '```mermaid\nflowchart LR\n  Leaf --> Tea\n```',
  '- [x] Done\n- [ ] Not done',
].join('\n\n')

test('a visitor copies a block of code of the public page by keyboard', async () => {
  const owner = await openComposer()
  await owner.send('/demo delay=0 say=```js\nconst cups = 2 < 3\n\nbrew(cups)\n```\n\n    indented')
  await owner.untilAnswered()
  const address = await createLink(owner)
  const visitor = await newUser()
  await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await visitor.page.goto(address)
  const copied = () => visitor.page.evaluate(() => navigator.clipboard.readText())
  const buttons = visitor.page.getByRole('button', { name: 'Copy code' })
  const width = (await buttons.first().boundingBox())?.width
  await tabTo(visitor.page, 'Copy code')
  await visitor.page.keyboard.press('Enter')
  await visitor.page.getByRole('status').getByText('Copied').waitFor()
  await buttons.first().getByText('Copied').waitFor()
  expect(await copied()).toBe('const cups = 2 < 3\n\nbrew(cups)')
  expect((await buttons.first().boundingBox())?.width).toBe(width)
  await show(visitor, 'share-copied')
  await expect.poll(() => visitor.page.getByRole('status').innerText()).toBe('')
  await buttons.nth(1).click()
  await expect.poll(copied).toBe('indented')
  // A browser that refuses to copy gets the code selected.
  await visitor.page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))
  })
  await buttons.first().click()
  expect(await visitor.page.evaluate(() => String(getSelection()))).toContain('brew(cups)')
})

test('the public page has no accessibility problems and does not scroll sideways', async () => {
  const owner = await openComposer()
  await owner.send(`/demo delay=0 say=${everything}`)
  await owner.untilAnswered()
  const address = await createLink(owner)
  const visitor = await newUser()
  for (const path of [address, `${product().url}/share/${'x'.repeat(21)}`]) {
    if (path !== address) visitor.ignoreErrors(/404/)
    for (const width of [1440, 390]) {
      await visitor.page.setViewportSize({ width, height: 900 })
      await visitor.page.goto(path)
      const name = path === address ? 'share-page' : 'share-missing'
      expect(await problemsInBothModes(visitor, (mode) => show(visitor, `${name}.${width}.${mode}`))).toEqual({})
      expect(await visitor.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
      if (path !== address) continue
      const prompt = visitor.page.getByRole('article', { name: 'Question' })
      const folded = (await prompt.boundingBox())?.height ?? 0
      await visitor.page.locator('summary').focus()
      await visitor.page.keyboard.press('Enter')
      await visitor.page.getByText('Show less').waitFor()
      expect((await prompt.boundingBox())?.height).toBeGreaterThan(1.5 * folded)
    }
  }
})
