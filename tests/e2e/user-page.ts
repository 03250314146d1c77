/** User actions in the product, by accessible names. Every wait is for something visible; nothing sleeps. */
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'

export type UserPage = {
  readonly page: Page
  readonly context: BrowserContext
  readonly composer: Locator
  readonly conversation: Locator
  readonly threads: Locator
  open(path?: string): Promise<void>
  /** Opens the composer of a new thread. The URL changes first; the old composer is replaced shortly after. */
  startThread(): Promise<void>
  send(text: string): Promise<void>
  /** Resolves when no answer streams and the last message is answered. */
  untilAnswered(): Promise<void>
  /** The full text of the newest answer. */
  answer(): Promise<string>
  answers(): Promise<number>
  /** All errors of the page and its console. */
  errors(): readonly string[]
  /** Expected errors of this test, past or future. */
  ignoreErrors(pattern: RegExp): void
  leave(): Promise<void>
}

export type Visit = {
  readonly url: string
  readonly storageState?: Awaited<ReturnType<BrowserContext['storageState']>>
  readonly phone?: boolean
  /** Enables transitions and animations. Otherwise the context requests reduced motion, which needs a fifth less processor time. */
  readonly animated?: boolean
  /** Installs the service worker. Otherwise it is blocked: it loads half a megabyte into every context. */
  readonly hasServiceWorker?: boolean
  /**
   * Loads all parts of the program after the first gesture, which takes as much processor time as the first page. Otherwise the browser
   * reports Data Saver, and the page loads each part when it is needed.
   */
  readonly prefetches?: boolean
  /** The language of the browser; English by default. */
  readonly locale?: string
}

/** Timeout of all waits: generous, because the machine may be busy. */
const patienceMs = 90_000

const desktop = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }

/**
 * Not errors: the sync client logs every refusal, which the product handles with a message or a retry, and slow operations, which it
 * retries (ten seconds to connect, five to answer a ping). Chromium logs a socket that is closed before it has opened, for example when a
 * user signs in on a slow machine.
 */
const alwaysIgnored = new RegExp(
  [
    'Mutator "[\\w.]+" app error on (client|server)',
    'Failed to connect .*(Connection attempt timed out|Server ping request failed)',
    'WebSocket is closed before the connection is established',
  ].join('|'),
)

export const visit = async (
  browser: Browser,
  { url, storageState, phone: isPhone, animated, hasServiceWorker, prefetches, locale }: Visit,
): Promise<UserPage> => {
  const context = await browser.newContext({
    baseURL: url,
    viewport: isPhone ? phone : desktop,
    hasTouch: isPhone ?? false,
    serviceWorkers: hasServiceWorker ? 'allow' : 'block',
    reducedMotion: animated ? 'no-preference' : 'reduce',
    ...(storageState ? { storageState } : {}),
    ...(locale ? { locale } : {}),
  })
  // Applies to all pages of the context.
  context.setDefaultTimeout(patienceMs)
  if (!prefetches) await context.addInitScript(reportDataSaver)
  const page = await context.newPage()
  const errors: string[] = []
  const ignored = [alwaysIgnored]
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} [${message.location().url}]`)
  })
  const composer = page.getByRole('textbox', { name: 'Message', exact: true })
  const conversation = page.getByRole('log', { name: 'Conversation' })
  const answers = conversation.getByRole('article', { name: 'Answer' })
  const turns = conversation.locator('[data-message]')
  const lastTurn = () => turns.evaluateAll((all) => all.at(-1)?.getAttribute('data-message') ?? null)
  /** The last turn before the newest message, until that message is answered. It appears shortly after the press. */
  let turnBefore: string | null = null
  return {
    page,
    context,
    composer,
    conversation,
    threads: page.getByRole('navigation', { name: 'Threads' }),
    errors: () => errors.filter((error) => !ignored.some((pattern) => pattern.test(error))),
    ignoreErrors: (pattern) => void ignored.push(pattern),
    open: async (path = '/') => {
      await page.goto(path)
      await untilReplaced(page)
      await composer.waitFor()
    },
    startThread: async () => {
      await page.getByRole('button', { name: 'New thread', exact: true }).click()
      await conversation.waitFor({ state: 'detached' })
    },
    send: async (text) => {
      await untilReplaced(page)
      await composer.fill(text)
      // While an answer streams there is no such button, and the last turn is incomplete.
      const button = page.getByRole('button', { name: /^(Send message|Save & send)$/ })
      await button.waitFor()
      turnBefore = await lastTurn()
      await button.click()
    },
    untilAnswered: async () => {
      await page.waitForFunction(
        (before) =>
          before === null || [...document.querySelectorAll('[role=log] [data-message]')].at(-1)?.getAttribute('data-message') !== before,
        turnBefore,
        // By default in every frame.
        { polling: 50 },
      )
      turnBefore = null
      await conversation
        .getByRole('button', { name: /^(Regenerate|Retry)$/ })
        .last()
        .waitFor()
      await page.getByRole('button', { name: 'Stop generating' }).waitFor({ state: 'detached' })
    },
    answer: () => answers.last().innerText(),
    answers: () => answers.count(),
    leave: () => context.close(),
  }
}

/** Runs in the page. */
const reportDataSaver = (): void => {
  Object.defineProperty(Object.getPrototypeOf(Reflect.get(navigator, 'connection')), 'saveData', { value: true })
}

/** Resolves when the page has replaced the first paint. */
export const untilReplaced = (page: Page): Promise<void> => page.locator('#first-paint').waitFor({ state: 'detached' })

/** Makes every copy fail, which shows a toast. */
export const denyCopies = ({ page }: Pick<UserPage, 'page'>): Promise<void> =>
  page.evaluate(() => {
    document.execCommand = () => false
    Object.defineProperty(navigator, 'clipboard', { value: undefined })
  })

/** Resolves when all changes so far are rendered. */
export const untilDrawn = ({ page }: Pick<UserPage, 'page'>): Promise<void> =>
  page.evaluate(() => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))))

/** Chooses an action from the menu of a message. On a phone, that of a question opens by a long press and, as here, by keyboard. */
export const chooseForMessage = async ({ page }: Pick<UserPage, 'page'>, message: Locator, action: string): Promise<void> => {
  await message.getByRole('button', { name: 'More for this message' }).press('Enter')
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

export type Mode = 'Search' | 'Research'

/** Chooses Search or Research for the next message, or neither. */
export const chooseMode = async ({ page }: Pick<UserPage, 'page'>, name: Mode | null): Promise<void> => {
  const menu = toolsButton({ page }).or(optionsButton({ page }))
  await menu.waitFor()
  // Choosing it again would remove it.
  if (name !== null && (await modeButton({ page }, name).isVisible())) return
  await menu.click()
  const option = page.getByRole(
    'menuitemradio',
    name === null ? { name: /^(Search|Research)/, checked: true } : { name: new RegExp(`^${name}`) },
  )
  await option.click()
  await untilMode({ page }, name)
}

/** Waits until the next message has this mode. */
export async function untilMode({ page }: Pick<UserPage, 'page'>, name: Mode | null): Promise<void> {
  if (name === null) await modeButton({ page }).waitFor({ state: 'detached' })
  else await modeButton({ page }, name).waitFor()
}

/** In a wide window, the button that removes the mode; on a phone, the button of all options shows the mode. */
const modeButton = ({ page }: Pick<UserPage, 'page'>, name: Mode | '' = '') =>
  page
    .getByRole('button', { name: new RegExp(`^Remove ${name || '(Search|Research)'} `) })
    .or(optionsButton({ page }, name || '(Search|Research)'))

/** In a wide window: the menu of tools. */
export const toolsButton = ({ page }: Pick<UserPage, 'page'>) => page.getByRole('button', { name: 'Tools', exact: true })

/** On a phone: the button of the menu for tools, effort and files. */
export const optionsButton = ({ page }: Pick<UserPage, 'page'>, mode = '') =>
  page.getByRole('button', { name: 'Tools, effort and files', description: new RegExp(`^${mode}`) })
