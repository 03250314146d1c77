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
  send(text: string): Promise<void>
  /** Resolves when no answer is being written any more. */
  untilAnswered(): Promise<void>
  /** The whole text of the newest answer. */
  answer(): Promise<string>
  answers(): Promise<number>
  /** Everything the page or its console complained about. */
  complaints(): readonly string[]
  /** Complaints that this test provokes on purpose. */
  forgive(pattern: RegExp): void
  leave(): Promise<void>
}

export type Visit = {
  readonly url: string
  readonly storageState?: Awaited<ReturnType<BrowserContext['storageState']>>
  readonly phone?: boolean
  /** Asks for reduced motion: nothing is halfway there when it is looked at. */
  readonly still?: boolean
}

/** For whatever a person waits for: only what never comes is wrong, and a busy machine takes its time. */
const patienceMs = 45_000

const desktop = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }

const refusalLog = /Mutator "[\w.]+" app error on (client|server)/

export const visit = async (browser: Browser, { url, storageState, phone: isPhone, still }: Visit): Promise<Person> => {
  const context = await browser.newContext({
    baseURL: url,
    viewport: isPhone ? phone : desktop,
    hasTouch: isPhone ?? false,
    reducedMotion: still ? 'reduce' : 'no-preference',
    ...(storageState ? { storageState } : {}),
  })
  const page = await context.newPage()
  page.setDefaultTimeout(patienceMs)
  let complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // The sync client logs every refusal; the product answers those in words, or tries again once its rows are there.
    if (message.type() === 'error' && !refusalLog.test(message.text())) complaints.push(message.text())
  })
  const composer = page.getByRole('textbox', { name: 'Message', exact: true })
  const conversation = page.getByRole('log', { name: 'Conversation' })
  const answers = conversation.getByRole('article', { name: 'Answer' })
  return {
    page,
    context,
    composer,
    conversation,
    threads: page.getByRole('navigation', { name: 'Threads' }),
    complaints: () => complaints,
    forgive: (pattern) => {
      complaints = complaints.filter((complaint) => !pattern.test(complaint))
    },
    open: async (path = '/') => {
      await page.goto(path)
      await composer.waitFor()
    },
    send: async (text) => {
      await composer.fill(text)
      await page.getByRole('button', { name: 'Send message' }).click()
    },
    untilAnswered: async () => {
      await conversation.getByRole('button', { name: 'Regenerate', exact: true }).last().waitFor()
      await page.getByRole('button', { name: 'Stop generating' }).waitFor({ state: 'detached' })
    },
    answer: () => answers.last().innerText(),
    answers: () => answers.count(),
    leave: () => context.close(),
  }
}
