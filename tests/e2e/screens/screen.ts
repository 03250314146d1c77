/**
 * Screens as data: what each is called, which route draws it, and how somebody gets there. `walk` goes to every one of them and asks
 * axe-core about it on a desk and on a phone, dark and light; `tests/e2e/screens/routes.test.ts` wants a row for every route.
 */
import type { CDPSession, Page } from 'playwright-core'
import { expect } from 'vitest'
import { problemsInBothModes } from '../axe.ts'
import type { Person } from '../person.ts'
import { show } from '../stage.ts'

export type Screen<World> = {
  readonly name: string
  /** As the router names it; for pages that the server writes, their path; for mails, `mail`. */
  readonly route: string
  /** Who goes there; `me` unless told otherwise. */
  readonly as?: string
  /** Where a screen is made of parts that only one of them has. */
  readonly only?: Device
  readonly open: (page: Page, world: World) => Promise<unknown>
}

type Device = 'desk' | 'phone'
const devices = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const

export type People = { readonly [name: string]: Person }

/** Everything that axe found, by screen and device, so that one run says all that is to be mended. */
export async function walk<World extends { readonly people: People }>(screens: readonly Screen<World>[], world: World): Promise<void> {
  const found: Record<string, object> = {}
  for (const screen of screens) {
    const person = world.people[screen.as ?? 'me']
    if (!person) throw new Error(`nobody is called ${screen.as}`)
    const wanted: readonly Device[] = screen.only ? [screen.only] : ['desk', 'phone']
    for (const [i, device] of wanted.entries()) {
      await hold(person, device)
      if (i === 0) await opened(screen, person.page, world)
      const problems = await problemsInBothModes(person, (mode) => show(person, `${screen.name.replaceAll(/\W+/g, '-')}.${device}.${mode}`))
      const overflow = await tooWide(person.page)
      if (overflow) problems.width = [overflow]
      if (Object.keys(problems).length > 0) found[`${screen.name}, ${device}`] = problems
    }
  }
  expect(found).toEqual({})
}

async function opened<World>({ name, open }: Screen<World>, page: Page, world: World): Promise<void> {
  try {
    await open(page, world)
  } catch (cause) {
    throw new Error(`no way to “${name}”`, { cause })
  }
}

const hands = new WeakMap<Page, Promise<CDPSession>>()

/** The same page, taken from a desk into a hand: its size, and what it is touched with. */
async function hold({ page, context }: Person, device: Device): Promise<void> {
  const session = hands.get(page) ?? context.newCDPSession(page)
  hands.set(page, session)
  await page.setViewportSize(devices[device])
  await (await session).send('Emulation.setTouchEmulationEnabled', { enabled: device === 'phone' })
}

/** Nobody scrolls a page sideways. */
const tooWide = (page: Page): Promise<string | null> =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    return scrollWidth > clientWidth ? `${scrollWidth} px in a window of ${clientWidth}` : null
  })

export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
export const field = (page: Page, name: string) => page.getByRole('textbox', { name })
export const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).first()

/** A page by its address, when it says this. */
export const at = (path: string, says: string | RegExp) => async (page: Page) => {
  await page.goto(path)
  await page.getByText(says).first().waitFor()
}

type SentMail = { readonly to: string; readonly subject: string; readonly html: string | null }

/** The newest such mail, as its reader sees it. */
export async function readMail(page: Page, isMeant: (mail: SentMail) => boolean): Promise<void> {
  const { mails } = (await (await page.request.get('/api/outbox')).json()) as { mails: SentMail[] }
  await page.goto('about:blank')
  await page.setContent(mails.find(isMeant)?.html ?? '')
}
