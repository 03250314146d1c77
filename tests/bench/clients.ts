/** The clients of a benchmark, their queries, and how they detect that a write has arrived. */
import { preloadedMessages } from '../../worker/contract/preload-limits.ts'
import { maxConnections } from '../../worker/sync/protocol/wire-limits.ts'
import { type Guest, newGuest } from '../support/guest.ts'
import { messageWindow } from '../support/message-windows.ts'
import { connectWire, type Query, rowsOf, type WireClient } from '../support/wire-client.ts'

export const me: Query = { hash: 'me', name: 'me', args: [] }
export const threadList: Query = { hash: 'list', name: 'threads.list', args: [{ limit: 50 }] }
export const thread = (threadId: string): Query => ({ hash: `one-${threadId}`, name: 'threads.one', args: [{ threadId }] })

/** The first queries of the page. */
export const pageQueries = [me, threadList]

/** All queries of the page on a first visit, with the windows of the threads that it preloads. */
export const firstVisitQueries = (preloadedIds: readonly string[]): readonly Query[] => [
  ...pageQueries,
  ...['models.all', 'organizations.mine', 'threads.recent'].map((name) => ({ hash: name, name, args: [] })),
  ...['threads.deleted', 'messages.deleted'].map((name) => ({ hash: name, name, args: [{ since: Date.now() }] })),
  ...preloadedIds.map((threadId) => messageWindow(threadId, preloadedMessages)),
]

/** A new browser on each call. */
export const connect = async (guest: Guest, queries: readonly Query[] = pageQueries): Promise<WireClient> =>
  connectWire({ guest, token: await guest.token(), queries })

/**
 * Resolves when the object has all rows of the user: a new object continues to read after its first poke, and a write waits for the end of
 * it.
 */
export async function untilWhole(guest: Guest): Promise<void> {
  const client = await connect(guest, [me])
  await client.confirmed(client.push('settings.update', nickname(-1)))
  await client.close()
}

/** One user on two devices. */
export const meet = async (url: string, guest?: Guest) => {
  const user = guest ?? (await newGuest(url))
  const [writer, reader] = await Promise.all([connect(user), connect(user)])
  return { guest: user, writer, reader }
}

/** The smallest possible write. */
export const nickname = (index: number) => ({ nickname: `name ${index}` })

export const showsNickname = (client: WireClient, index: number): Promise<unknown> =>
  client.next((frame) => rowsOf(frame).some(({ value }) => value?.nickname === nickname(index).nickname))

/**
 * Opens as many tabs of each user as allowed, until there are `count`; one user after the other. In one browser, or in one browser each.
 */
export async function crowd(guests: readonly Guest[], count: number, isOneBrowser = false): Promise<WireClient[]> {
  const clients: WireClient[] = []
  for (const guest of guests) {
    const token = await guest.token()
    const open = Math.min(tabsOfOne, count - clients.length)
    const options = { guest, token, queries: pageQueries, ...(isOneBrowser ? { clientGroupID: newId('browser') } : {}) }
    for (let made = 0; made < open; made += connectedAtOnce) {
      const next = Array.from({ length: Math.min(connectedAtOnce, open - made) }, () => connectWire(options))
      clients.push(...(await Promise.all(next)))
    }
  }
  if (clients.length < count) throw new Error(`${guests.length} users cannot have ${count} tabs`)
  return clients
}

/** The connection limit of a user, minus one for the writer. */
export const tabsOfOne = maxConnections - 1
const connectedAtOnce = 20

export const newGuests = async (url: string, count: number): Promise<Guest[]> => {
  const guests: Guest[] = []
  for (let index = 0; index < count; index++) guests.push(await newGuest(url))
  return guests
}

export const closeAll = async (...clients: readonly { close(): Promise<void> }[]): Promise<void> => {
  await Promise.all(clients.map((client) => client.close()))
}

let made = 0
export const newId = (kind: string): string => `${kind}-${Date.now().toString(36)}-${++made}`
