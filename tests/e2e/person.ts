/**
 * What a person does in the product, by the names they would use. Every wait is for something they could see;
 * nothing here sleeps.
 */
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'

export type Person = {
  readonly page: Page
  readonly context: BrowserContext
  readonly composer: Locator
  readonly conversation: Locator
  readonly threads: Locator
  open(path?: string): Promise<void>
  /** To the composer of a new thread. It takes the old one's place a moment after the press, and the address before both. */
  startThread(): Promise<void>
  send(text: string): Promise<void>
  /** Resolves when no answer is being written any more, and what was sent last is answered. */
  untilAnswered(): Promise<void>
  /** The whole text of the newest answer. */
  answer(): Promise<string>
  answers(): Promise<number>
  /** Everything the page or its console complained about. */
  complaints(): readonly string[]
  /** Complaints that this test provokes on purpose, whether they have come already or not. */
  forgive(pattern: RegExp): void
  leave(): Promise<void>
}

export type Visit = {
  readonly url: string
  readonly storageState?: Awaited<ReturnType<BrowserContext['storageState']>>
  readonly phone?: boolean
  /** Draws transitions and animations. Otherwise the context asks for reduced motion, which needs a fifth less processor time. */
  readonly animated?: boolean
  /** Installs the service worker. Otherwise it is blocked: it loads half a megabyte into every context. */
  readonly hasServiceWorker?: boolean
}

/** For whatever a person waits for: only what never comes is wrong, and a busy machine takes its time. */
const patienceMs = 45_000

const desktop = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }

/**
 * No complaints: the sync client logs every refusal, which the product answers in words or by trying again once its rows are there, and
 * what a slow machine took too long for, which it tries again: ten seconds to connect, five to answer a ping. And Chromium says so when a
 * page lets go of a socket that has not opened yet, as one does whose person signs in on a slow machine.
 */
const noComplaint = new RegExp(
  [
    'Mutator "[\\w.]+" app error on (client|server)',
    'Failed to connect .*(Connection attempt timed out|Server ping request failed)',
    'WebSocket is closed before the connection is established',
  ].join('|'),
)

export const visit = async (
  browser: Browser,
  { url, storageState, phone: isPhone, animated, hasServiceWorker }: Visit,
): Promise<Person> => {
  const context = await browser.newContext({
    baseURL: url,
    viewport: isPhone ? phone : desktop,
    hasTouch: isPhone ?? false,
    serviceWorkers: hasServiceWorker ? 'allow' : 'block',
    reducedMotion: animated ? 'no-preference' : 'reduce',
    ...(storageState ? { storageState } : {}),
  })
  // Of every page in it.
  context.setDefaultTimeout(patienceMs)
  const page = await context.newPage()
  const complaints: string[] = []
  const forgiven = [noComplaint]
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${message.text()} [${message.location().url}]`)
  })
  const composer = page.getByRole('textbox', { name: 'Message', exact: true })
  const conversation = page.getByRole('log', { name: 'Conversation' })
  const answers = conversation.getByRole('article', { name: 'Answer' })
  const turns = conversation.locator('[data-turn]')
  const lastTurn = () => turns.evaluateAll((all) => all.at(-1)?.getAttribute('data-turn') ?? null)
  /** The last turn before the newest message, until that message is answered. It appears a moment after the press. */
  let turnBefore: string | null = null
  return {
    page,
    context,
    composer,
    conversation,
    threads: page.getByRole('navigation', { name: 'Threads' }),
    complaints: () => complaints.filter((complaint) => !forgiven.some((pattern) => pattern.test(complaint))),
    forgive: (pattern) => void forgiven.push(pattern),
    open: async (path = '/') => {
      await page.goto(path)
      await composer.waitFor()
    },
    startThread: async () => {
      await page.getByRole('button', { name: 'New thread', exact: true }).click()
      await conversation.waitFor({ state: 'detached' })
    },
    send: async (text) => {
      await composer.fill(text)
      // While an answer is written there is no such button, and the last turn is not yet complete.
      await page.getByRole('button', { name: 'Send message' }).waitFor()
      turnBefore = await lastTurn()
      await page.getByRole('button', { name: 'Send message' }).click()
    },
    untilAnswered: async () => {
      await page.waitForFunction(
        (before) =>
          before === null || [...document.querySelectorAll('[role=log] [data-turn]')].at(-1)?.getAttribute('data-turn') !== before,
        turnBefore,
      )
      turnBefore = null
      await conversation.getByRole('button', { name: 'Regenerate', exact: true }).last().waitFor()
      await page.getByRole('button', { name: 'Stop generating' }).waitFor({ state: 'detached' })
    },
    answer: () => answers.last().innerText(),
    answers: () => answers.count(),
    leave: () => context.close(),
  }
}

/** Resolves when what has happened so far is on the screen. */
export const untilDrawn = ({ page }: Pick<Person, 'page'>): Promise<void> =>
  page.evaluate(() => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))))

/** Chooses how the next message is answered. Pressed is what stands around the button, which on a phone is larger than it. */
export const chooseMode = async ({ page }: Pick<Person, 'page'>, name: 'Chat' | 'Search' | 'Research'): Promise<void> => {
  const option = page.getByRole('radio', { name, exact: true })
  await page.locator('label').filter({ has: option }).click()
  await option.and(page.locator(':checked')).waitFor()
}
