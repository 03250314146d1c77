// A page with the real client, observed from outside: its states, called handlers, logs and stored data.
import { Zero, type ZeroOptions } from '@rocicorp/zero'
import { mutators } from '../../worker/contract/mutators.ts'
import { queries } from '../../worker/contract/queries.ts'
import { schema } from '../../worker/contract/schema.ts'
import type { Guest } from '../support/guest.ts'
import { type Browser, newBrowser } from '../support/memory-store.ts'

const open = new Set<Zero>()

/** Closes all open pages of the test file. */
export async function closePages(): Promise<void> {
  await Promise.all([...open].map((zero) => zero.close()))
  open.clear()
}

export type Page = {
  readonly zero: Zero
  readonly browser: Browser
  /** All of its states in order. */
  readonly states: string[]
  /** The reasons of its states, in order. */
  readonly reasons: string[]
  /** Called handlers in order. */
  readonly calls: string[]
  readonly logged: string[]
  until(name: string): Promise<void>
}

export type PageOptions = {
  readonly browser?: Browser
  readonly auth?: string
  readonly schema?: ZeroOptions['schema']
  readonly maxHeaderLength?: number
  readonly pingTimeoutMs?: number
  readonly hiddenTabDisconnectDelay?: number
  readonly mutators?: ZeroOptions['mutators']
}

export async function pageOf(guest: Guest, { browser = newBrowser(), ...options }: PageOptions = {}): Promise<Page> {
  const calls: string[] = []
  const logged: string[] = []
  const zero = new Zero({
    cacheURL: guest.url,
    userID: guest.userId,
    auth: await guest.token(),
    schema,
    mutators,
    ...options,
    context: { userId: guest.userId },
    kvStore: browser.provider,
    logLevel: 'warn',
    logSink: { log: (_level, _context, ...what) => void logged.push(what.map(String).join(' ')) },
    onUpdateNeeded: ({ type }) => void calls.push(`onUpdateNeeded ${type}`),
    onClientStateNotFound: () => void calls.push('onClientStateNotFound'),
  } as ZeroOptions) as Zero
  open.add(zero)
  const { state } = zero.connection
  const states = [state.current.name as string]
  const waiting = new Set<() => void>()
  const reasons: string[] = []
  state.subscribe((next) => {
    if (states.at(-1) !== next.name) states.push(next.name)
    if ('reason' in next && next.reason !== undefined) reasons.push(String(next.reason))
    for (const check of waiting) check()
  })
  const until = (name: string) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (state.current.name !== name) return
        waiting.delete(check)
        resolve()
      }
      waiting.add(check)
      check()
    })
  return { zero, browser, states, reasons, calls, logged, until }
}

/** A page that is connected and has its rows. */
export async function settledPage(guest: Guest, options: PageOptions = {}): Promise<Page> {
  const page = await pageOf(guest, options)
  await page.zero.run(queries.me(), { type: 'complete' })
  await page.until('connected')
  return page
}

/** Resolves when a condition without an event holds; the test's timeout is the only clock. */
export async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10))
}

export const nickname = (zero: Zero, value: string) => zero.mutate(mutators.settings.update({ nickname: value }))
