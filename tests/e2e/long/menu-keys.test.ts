// The keyboard interaction of the WAI-ARIA Authoring Practices for menu buttons and menus, one row per key.
// https://www.w3.org/WAI/ARIA/apg/patterns/
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { sentenceOf } from '../../support/refused-sentence.ts'
import { answered, expectRows, focused, isFocused } from '../keys.ts'
import { setStage } from '../stage.ts'
import { optionsButton, type UserPage, untilDrawn } from '../user-page.ts'

const { openComposer, newSignedInUser } = setStage()

test('a menu button opens with Enter and Space, and Escape closes the menu and returns the focus', async () => {
  const guest = await openComposer()
  const trigger = await answered(guest)
  const menu = guest.page.getByRole('menu', { name: 'Message' })
  for (const key of ['Enter', 'Space']) {
    await trigger.press(key)
    await expect.poll(focused(guest.page)).toBe('Quote')
    expect(await trigger.getAttribute('aria-expanded')).toBe('true')
    expect(await trigger.getAttribute('aria-controls')).toBe(await menu.getAttribute('id'))
    await guest.page.keyboard.press('Escape')
    await menu.waitFor({ state: 'detached' })
    await expect.poll(() => isFocused(trigger)).toBe(true)
  }
})

test('a menu button opens with the arrow keys, at the first and at the last item', async () => {
  const guest = await openComposer()
  const trigger = await answered(guest)
  for (const [key, item] of [
    ['ArrowDown', 'Quote'],
    ['ArrowUp', 'Delete'],
  ] as const) {
    await trigger.press(key)
    await expect.poll(focused(guest.page)).toBe(item)
    await guest.page.keyboard.press('Escape')
    await expect.poll(() => isFocused(trigger)).toBe(true)
  }
})

test('a menu moves by arrows, Home, End and several typed letters, and goes around', async () => {
  const guest = await openComposer()
  const trigger = await answered(guest)
  await trigger.press('Enter')
  await expect.poll(focused(guest.page)).toBe('Quote')
  await expectRows(
    guest.page,
    [
      ['ArrowDown', 'Fork from here'],
      ['ArrowDown', 'Copy thread up to here'],
      ['ArrowDown ArrowDown', 'Delete'],
      ['ArrowDown', 'Quote'],
      ['ArrowUp', 'Delete'],
      ['Home', 'Quote'],
      ['End', 'Delete'],
    ],
    focused(guest.page),
  )
  // Two items begin with De. The third letter decides.
  await guest.page.keyboard.press('Home')
  await guest.page.keyboard.type('del')
  await expect.poll(focused(guest.page)).toBe('Delete')
  await guest.page.keyboard.press('Home')
  await guest.page.keyboard.type('det')
  await expect.poll(focused(guest.page)).toBe('Details')
  await guest.page.keyboard.press('Enter')
  await guest.page.getByRole('dialog', { name: 'Details' }).waitFor()
  await guest.page.keyboard.press('Escape')
  await expect.poll(() => isFocused(trigger)).toBe(true)
})

test('Tab closes a menu and goes on from its button', async () => {
  const guest = await openComposer()
  await answered(guest)
  const trigger = guest.conversation.getByRole('button', { name: 'More for this message' }).first()
  const menu = guest.page.getByRole('menu', { name: 'Message' })
  for (const key of ['Tab', 'Shift+Tab']) {
    await trigger.focus()
    await guest.page.keyboard.press(key)
    const next = await focused(guest.page)()
    await trigger.press('Enter')
    await expect.poll(focused(guest.page)).toBe('Quote')
    await guest.page.keyboard.press(key)
    await menu.waitFor({ state: 'detached' })
    expect(await focused(guest.page)()).toBe(next)
  }
})

test('a menu of choices starts at the chosen item, and an item that is not available says why', async () => {
  const guest = await openComposer()
  const { page } = guest
  await page.getByRole('button', { name: /credits left/ }).press('Enter')
  await expect.poll(focused(page)).toBe('Dark')
  await expectRows(
    page,
    [
      ['ArrowRight', 'System'],
      ['ArrowLeft', 'Dark'],
      ['ArrowRight ArrowRight', 'Keyboard shortcuts?'],
    ],
    focused(page),
  )
  await page.keyboard.type('log i')
  await expect.poll(focused(page)).toBe('Log in')
  await page.keyboard.press('Escape')

  await guest.send('/demo silent=start')
  await guest.conversation.getByRole('button', { name: 'More for this message' }).press('Enter')
  const item = page.getByRole('menuitem', { name: 'Delete thread' })
  await item.waitFor()
  await page.keyboard.press('End')
  await expect.poll(() => isFocused(item)).toBe(true)
  expect(await item.getAttribute('aria-disabled')).toBe('true')
  await page.locator('[role="tooltip"]').getByText(sentenceOf('thread_busy')).waitFor()
  await page.keyboard.press('Enter')
  await item.waitFor()
  await page.keyboard.press('Escape')
  await item.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Stop generating' }).click()
  await guest.untilAnswered()
})

test('an open menu stays at its button while an answer grows, with its active item', async () => {
  const guest = await openComposer()
  await answered(guest)
  await guest.send('/demo chunks=400 delay=10')
  await guest.conversation.getByText('word20').waitFor()
  const trigger = guest.conversation.getByRole('button', { name: 'More for this message' }).nth(1)
  await trigger.press('Enter')
  await expect.poll(focused(guest.page)).toBe('Quote')
  await guest.page.keyboard.press('ArrowDown')
  const gap = async () => {
    const [button, menu] = await Promise.all([trigger.boundingBox(), guest.page.getByRole('menu', { name: 'Message' }).boundingBox()])
    if (!button || !menu) return Number.POSITIVE_INFINITY
    return Math.max(menu.y - (button.y + button.height), button.y - (menu.y + menu.height))
  }
  for (const word of ['word80', 'word160', 'word240']) {
    await guest.conversation.getByText(word).waitFor()
    await expect.poll(async () => Math.abs((await gap()) - 8) < 2).toBe(true)
    expect(await focused(guest.page)()).toBe('Fork from here')
  }
  await guest.page.keyboard.press('Escape')
  await guest.untilAnswered()
})

test('a menu stays in the part of the window that a zoomed phone shows', async () => {
  const guest = await openComposer({ phone: true })
  const { page, context } = guest
  await page.getByRole('button', { name: 'Model', exact: true, description: 'Kimi K2' }).waitFor()
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setPageScaleFactor', { pageScaleFactor: 1.5 })
  await page.getByRole('button', { name: 'Model', exact: true }).press('Enter')
  const list = page.getByRole('dialog', { name: 'Choose a model' })
  await list.waitFor()
  const isInView = () =>
    list.evaluate((box) => {
      const { top, bottom } = box.getBoundingClientRect()
      const { offsetTop = 0, height = 0 } = window.visualViewport ?? {}
      return top >= offsetTop - 1 && bottom <= offsetTop + height + 1
    })
  await expect.poll(isInView).toBe(true)
})

type HeldRow = {
  readonly phone?: boolean
  readonly trigger: (page: Page) => Locator
  readonly item: (page: Page) => Locator
  /** Visible after the item has acted, and not after a second Enter. */
  readonly effect: (page: Page) => Locator
}

const buttonOf = (name: string | RegExp, description?: string) => (page: Page) =>
  page.getByRole('button', { name, ...(description && { description }) }).last()
const itemOf =
  (name: string, role: 'menuitem' | 'menuitemradio' = 'menuitem') =>
  (page: Page) =>
    page.getByRole(role, { name, exact: true })

const heldRows: { readonly [menu: string]: HeldRow } = {
  thread: {
    trigger: (page) => page.getByRole('complementary').getByRole('button', { name: /^More for/ }),
    item: itemOf('Rename'),
    effect: (page) => page.getByRole('complementary').getByRole('textbox', { name: 'Title' }),
  },
  message: {
    trigger: buttonOf('More for this message'),
    item: itemOf('Details'),
    effect: (page) => page.getByRole('dialog', { name: 'Details' }),
  },
  user: {
    trigger: buttonOf(/credits left/),
    item: itemOf('Log out'),
    effect: (page) => page.getByRole('alertdialog', { name: 'Logout' }),
  },
  model: {
    trigger: buttonOf('Model'),
    item: (page) => page.getByRole('option', { name: /^GPT 5 Mini / }),
    effect: buttonOf('Model', 'GPT 5 Mini'),
  },
  effort: {
    trigger: buttonOf('Reasoning effort'),
    item: itemOf('High', 'menuitemradio'),
    effect: buttonOf('Reasoning effort', 'High'),
  },
  mode: {
    phone: true,
    trigger: (page) => optionsButton({ page }),
    item: (page) => page.getByRole('menuitemradio', { name: /^Search/ }),
    effect: (page) => optionsButton({ page }, 'Search'),
  },
}

/** Holds Enter until the effect is visible and the key has repeated. */
async function holdEnter(user: UserPage, effect: Locator): Promise<void> {
  const { keyboard } = user.page
  await keyboard.down('Enter')
  await effect.waitFor()
  for (let repeats = 0; repeats < 3; repeats += 1) {
    await keyboard.down('Enter')
    await untilDrawn(user)
  }
  await keyboard.up('Enter')
}

test.each(Object.entries(heldRows))('a held Enter acts once in the %s menu: on its button and on an item', async (menu, row) => {
  const { phone = false, trigger, item, effect } = row
  const user = await newSignedInUser(`held-${menu}@example.test`, { phone })
  const { page } = user
  await user.open()
  await answered(user)
  if (menu === 'effort') {
    await buttonOf('Model')(page).click()
    await page.getByRole('combobox', { name: 'Find model' }).fill('gpt 5 mini')
    await page.getByRole('option', { name: /^GPT 5 Mini / }).click()
  }
  await trigger(page).focus()
  await holdEnter(user, page.locator('[data-active-item]').filter({ visible: true }).first())
  expect(await trigger(page).getAttribute('aria-expanded')).toBe('true')
  if (menu === 'model') await page.getByRole('combobox', { name: 'Find model' }).fill('gpt 5 mini')
  else await item(page).focus()
  await expect.poll(() => item(page).getAttribute('data-active-item')).not.toBeNull()
  await holdEnter(user, effect(page))
  expect(await effect(page).isVisible()).toBe(true)
  expect(await trigger(page).getAttribute('aria-expanded')).toBe('false')
  expect(await user.answers()).toBe(1)
})
