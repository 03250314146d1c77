/** The conversation of a guest. */
import type { Page } from 'playwright-core'
import { pdf, pngOf } from '../../support/sample-files.ts'
import { pathOf } from '../stage.ts'
import type { UserPage } from '../user-page.ts'
import { at, button, heading, type Screen, type Users } from './screen.ts'

type ChatWorld = { readonly users: Users; readonly thread: string; readonly drawn: string; readonly asking: string }

const drawn = `Euler's $e^{i\\pi} + 1 = 0$, and a mistake: $\\frac{1$.

$$
\\sum_{n=1}^\\infty \\frac{1}{n^2} = \\frac{\\pi^2}{6}
$$

\`\`\`mermaid
pie title Tides
  "Moon" : 68
  "Sun" : 32
\`\`\``

/** `me` has a thread with an answer and one that failed, `ada` one with formulas and a diagram and one with a call that waits. */
export async function chatWorld(me: UserPage, ada: UserPage): Promise<ChatWorld> {
  await ada.send(`/demo delay=0 say=${drawn}`)
  await ada.untilAnswered()
  await me.send('Explain the tides to me')
  await me.untilAnswered()
  await me.send('/demo chunks=6 delay=0 fail')
  await me.conversation.getByRole('button', { name: 'Retry' }).waitFor()
  const drawnAt = pathOf(ada)
  await ada.startThread()
  await ada.send('/demo delay=0 note=Tea')
  await waitingCall(ada.page).waitFor()
  return { users: { me, ada }, thread: pathOf(me), drawn: drawnAt, asking: pathOf(ada) }
}

const files = [
  { name: 'cat.png', mimeType: 'image/png', buffer: Buffer.from(pngOf(60, 40)) },
  { name: 'paper.pdf', mimeType: 'application/pdf', buffer: Buffer.from(pdf) },
]

const composer = async (page: Page) => {
  await page.goto('/')
  await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor()
}

const waitingCall = (page: Page) => conversation(page).getByRole('button', { name: 'Allow once' })
const conversation = (page: Page) => page.getByRole('log', { name: 'Conversation' })
const thread = async (page: Page, path: string) => {
  await page.goto(path)
  await conversation(page).getByRole('button', { name: 'Retry' }).waitFor()
}

/** The files become a draft, which the next page restores after a moment; later screens must wait before removing it. */
const withFiles = async (page: Page) => {
  await composer(page)
  await page.getByLabel('Files', { exact: true }).setInputFiles(files)
  for (const { name } of files) await button(page, `Remove ${name}`).waitFor()
}

const withoutFiles = async (page: Page) => {
  await composer(page)
  for (const { name } of files) await button(page, `Remove ${name}`).click()
}

const picker = async (page: Page) => {
  await composer(page)
  await button(page, 'Model').click()
  await page.getByRole('combobox', { name: 'Find model' }).fill('opus')
}

const palette = async (page: Page, path: string, text = '') => {
  await thread(page, path)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search threads and commands' }).fill(text)
}

const threadMenu = async (page: Page, path: string, isPhone: boolean) => {
  await thread(page, path)
  if (isPhone) await button(page, 'Open sidebar').click()
  const threads = page.getByRole('navigation', { name: 'Threads' })
  await threads.getByRole('listitem').first().hover()
  await threads.getByRole('button', { name: /^More for/ }).click()
}

const inSidebar = (name: string, open: (page: Page, path: string, isPhone: boolean) => Promise<void>): readonly Screen<ChatWorld>[] =>
  (['desk', 'phone'] as const).map((only) => ({
    name: `${name}, ${only}`,
    route: '/$threadId',
    only,
    open: (page, world) => open(page, world.thread, only === 'phone'),
  }))

export const chatScreens: readonly Screen<ChatWorld>[] = [
  { name: 'new thread', route: '/', inEveryTheme: true, open: composer },
  { name: 'composer with files', route: '/', open: withFiles },
  {
    name: 'model picker that refuses',
    route: '/',
    open: async (page) => {
      await withoutFiles(page)
      await picker(page)
      await page.getByRole('option', { name: /Opus/ }).first().waitFor()
      await page.keyboard.press('Enter')
      await page.getByText('Upgrade to PRO').waitFor()
    },
  },
  { name: 'palette with what was found', route: '/$threadId', open: (page, world) => palette(page, world.thread, 'ti') },
  {
    name: 'failed answer',
    inEveryTheme: true,
    route: '/$threadId',
    open: async (page, world) => {
      await thread(page, world.thread)
      await conversation(page).getByRole('button', { name: 'Show details' }).click()
    },
  },
  {
    name: 'answer with its reasoning',
    route: '/$threadId',
    open: async (page, world) => {
      await thread(page, world.thread)
      await conversation(page).evaluate((log) => log.scrollTo({ top: 0 }))
      await conversation(page)
        .getByRole('button', { name: /Thought for/ })
        .click()
    },
  },
  {
    name: 'call that waits for approval',
    inEveryTheme: true,
    route: '/$threadId',
    as: 'ada',
    open: async (page, world) => {
      await page.goto(world.asking)
      await waitingCall(page).waitFor()
    },
  },
  {
    name: 'call whose input is changed, and the reason of a denial',
    route: '/$threadId',
    as: 'ada',
    open: async (page, world) => {
      await page.goto(world.asking)
      await button(page, 'Change what is sent').click()
      await button(page, 'Deny').click()
    },
  },
  {
    name: 'formulas and a diagram',
    route: '/$threadId',
    as: 'ada',
    open: async (page, world) => {
      await page.goto(world.drawn)
      await conversation(page).locator('.katex').nth(1).waitFor()
      await conversation(page).getByRole('button', { name: 'Open Pie chart: Tides' }).waitFor()
    },
  },
  ...inSidebar('threads with a menu', threadMenu),
  {
    name: 'share dialog',
    route: '/$threadId',
    open: async (page, world) => {
      await palette(page, world.thread, 'share thread')
      await page.getByRole('option', { name: 'Share thread' }).waitFor()
      await page.keyboard.press('Enter')
      await button(page, 'Create and copy link').click()
      await page.getByRole('dialog').getByRole('listitem').waitFor()
      await button(page, 'New link with other settings').click()
      await page.getByRole('switch', { name: 'Show your name' }).click()
    },
  },
  { name: 'address that is no thread id', route: '/$threadId', open: at('/nope', 'Not found') },
  { name: 'shared links', route: '/account/data', open: at('/account/data', 'Does not expire') },
]

/** Variants of the above, for long runs. */
export const moreChatScreens: readonly Screen<ChatWorld>[] = [
  {
    name: 'new temporary thread',
    route: '/',
    open: async (page) => {
      await page.goto('/?temporary=true')
      await page.getByText("Doesn't appear in your threads or search.").waitFor()
    },
  },
  {
    name: 'models for one message',
    route: '/',
    open: async (page) => {
      await composer(page)
      await page.locator('[data-composer] textarea').pressSequentially('@')
      await page.getByRole('listbox', { name: 'Models for this message' }).waitFor()
    },
  },
  {
    name: 'composer with a model for one message',
    route: '/',
    open: async (page) => {
      await page.keyboard.press('Enter')
      await page.getByRole('group', { name: 'Only this message' }).waitFor()
    },
  },
  {
    name: 'composer without it',
    route: '/',
    open: (page) => page.getByRole('group', { name: 'Only this message' }).getByRole('button').click(),
  },
  {
    name: 'a picture, large',
    route: '/',
    open: async (page) => {
      await withFiles(page)
      await button(page, 'Open cat.png').click()
      await page.getByRole('dialog', { name: 'cat.png' }).getByRole('img').waitFor()
    },
  },
  {
    name: 'model picker',
    route: '/',
    open: async (page) => {
      await withoutFiles(page)
      await picker(page)
    },
  },
  { name: 'palette', route: '/$threadId', open: async (page, world) => palette(page, world.thread) },
  {
    name: 'palette that asks for a model',
    route: '/$threadId',
    open: async (page, world) => {
      await palette(page, world.thread, 'switch model')
      // Only after the page has loaded the user.
      await page.getByRole('option', { name: /^Switch model/ }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('option', { name: /^Kimi K2 From 1 credit/ }).waitFor()
    },
  },
  { name: 'palette with nothing', route: '/$threadId', open: (page, world) => palette(page, world.thread, 'no such thing') },
  {
    name: 'message that was found',
    route: '/$threadId',
    open: async (page, world) => {
      await palette(page, world.thread, 'word2')
      await page.getByRole('option', { name: /word2/ }).waitFor()
      await page.keyboard.press('Enter')
      await page.locator('article:focus').waitFor()
    },
  },
  {
    name: 'keyboard shortcuts',
    route: '/$threadId',
    open: async (page, world) => {
      await thread(page, world.thread)
      // It takes the focus, and with it the keys.
      await page.locator('textarea:focus').blur()
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    },
  },
  ...inSidebar('threads being selected', async (page, path, isPhone) => {
    await threadMenu(page, path, isPhone)
    await page.getByRole('menuitem', { name: 'Select' }).click()
    await page.getByRole('toolbar', { name: 'Selected threads' }).waitFor()
  }),
  ...inSidebar('thread being renamed', async (page, path, isPhone) => {
    await threadMenu(page, path, isPhone)
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('textbox', { name: 'Title' }).waitFor()
  }),
  {
    name: 'copy of a shared thread',
    route: '/continue/$shareId',
    open: at(`/continue/${'x'.repeat(21)}`, 'This copies the shared thread'),
  },
  {
    name: 'thread that is not there',
    route: '/$threadId',
    open: async (page) => {
      await at('/nobodys-thread-0000000', 'Not found')(page)
      await heading(page, 'Not found').waitFor()
    },
  },
]
