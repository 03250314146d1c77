/**
 * Screens as data: name, route, and the steps to get there. `walk` opens each of them and runs axe-core on desktop and phone in both colour
 * modes, and presses Tab through it once per device; `tests/e2e/screens/routes.test.ts` requires a row for every route.
 */
import type { CDPSession, Page } from 'playwright-core'
import { expect } from 'vitest'
import { themes } from '../../../worker/contract/themes.ts'
import { problemsInBothModes } from '../axe.ts'
import { show } from '../stage.ts'
import { type UserPage, untilDrawn, untilReplaced } from '../user-page.ts'
import { tabOrderProblems } from './tab-order.ts'

export type Screen<World> = {
  readonly name: string
  /** The router's name; the path for pages that the server renders; `mail` for mails. */
  readonly route: string
  /** The user who opens it; default `me`. */
  readonly as?: string
  /** For a screen that only one device has. */
  readonly only?: Device
  /** Checks the focus indicators in every theme; otherwise in both colour modes of the default theme. */
  readonly inEveryTheme?: boolean
  readonly open: (page: Page, world: World) => Promise<unknown>
}

type Device = 'desk' | 'phone'
const devices = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const

export type Users = { readonly [name: string]: UserPage }

/** All problems by screen and device, so that one run lists everything. */
export async function walk<World extends { readonly users: Users }>(screens: readonly Screen<World>[], world: World): Promise<void> {
  const found: Record<string, object> = {}
  for (const screen of screens) {
    const user = world.users[screen.as ?? 'me']
    if (!user) throw new Error(`unknown user ${screen.as}`)
    const wanted: readonly Device[] = screen.only ? [screen.only] : ['desk', 'phone']
    for (const [i, device] of wanted.entries()) {
      await emulate(user, device)
      if (i === 0) await openScreen(screen, user.page, world)
      const problems = await problemsInBothModes(user, (mode) => show(user, `${screen.name.replaceAll(/\W+/g, '-')}.${device}.${mode}`))
      const overflow = await horizontalOverflow(user.page)
      if (overflow) problems.width = [overflow]
      if (Object.keys(problems).length > 0) found[`${screen.name}, ${device}`] = problems
    }
    // After the screenshots, because the focus scrolls the page. Starts with the current device.
    for (const device of wanted.toReversed()) {
      await emulate(user, device)
      // Pages without a setting follow the system: in light mode on one device, in dark mode on the other.
      await user.page.emulateMedia({ colorScheme: device === 'desk' ? 'dark' : 'light' })
      await untilDrawn(user)
      const keyboardProblems = await tabOrderProblems(user.page, screen.inEveryTheme ? themes : [])
      if (keyboardProblems.length > 0) found[`${screen.name}, ${device}, keyboard`] = keyboardProblems
    }
  }
  expect(found).toEqual({})
}

async function openScreen<World>({ name, open }: Screen<World>, page: Page, world: World): Promise<void> {
  try {
    await open(page, world)
    await untilReplaced(page)
  } catch (cause) {
    throw new Error(`cannot open “${name}”`, { cause })
  }
}

const cdpSessions = new WeakMap<Page, Promise<CDPSession>>()

/** Sets viewport and touch. */
async function emulate({ page, context }: UserPage, device: Device): Promise<void> {
  const session = cdpSessions.get(page) ?? context.newCDPSession(page)
  cdpSessions.set(page, session)
  await page.setViewportSize(devices[device])
  await (await session).send('Emulation.setTouchEmulationEnabled', { enabled: device === 'phone' })
}

/** A page must not scroll horizontally. */
const horizontalOverflow = (page: Page): Promise<string | null> =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    return scrollWidth > clientWidth ? `${scrollWidth} px in a window of ${clientWidth}` : null
  })

export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
export const field = (page: Page, name: string) => page.getByRole('textbox', { name })
export const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).first()

/** Opens a page by its address and waits for this text. */
export const at = (path: string, text: string | RegExp) => async (page: Page) => {
  // An address with a hash would not load again, and a dialog would stay open.
  await page.goto('about:blank')
  await page.goto(path)
  await page.getByText(text).first().waitFor()
}

type SentMail = { readonly to: string; readonly subject: string; readonly html: string | null }

/** Opens the newest matching mail as a page. */
export async function readMail(page: Page, isMeant: (mail: SentMail) => boolean): Promise<void> {
  const { mails } = (await (await page.request.get('/api/outbox')).json()) as { mails: SentMail[] }
  await page.goto('about:blank')
  await page.setContent(mails.find(isMeant)?.html ?? '')
}
