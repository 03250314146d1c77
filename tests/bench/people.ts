/** Who connects in a benchmark, with what, and how they tell that a write has arrived. */
import { preloadedMessages } from '../../worker/contract/limits.ts'
import { maxConnections } from '../../worker/sync/protocol/wire-limits.ts'
import { type Guest, newGuest } from '../support/guest.ts'
import { messageWindow } from '../support/message-windows.ts'
import { connectWire, type Query, rowsOf, type WireClient } from '../support/wire-client.ts'

export const me: Query = { hash: 'me', name: 'me', args: [] }
export const threadList: Query = { hash: 'list', name: 'threads.list', args: [{ limit: 50 }] }
export const thread = (threadId: string): Query => ({ hash: `one-${threadId}`, name: 'threads.one', args: [{ threadId }] })

/** What the page asks for first. */
export const pageQueries = [me, threadList]

/** Everything that the page asks for on a first visit, with the windows of the threads that it preloads. */
export const firstVisitQueries = (preloadedIds: readonly string[]): readonly Query[] => [
  ...pageQueries,
  ...['models.all', 'organizations.mine', 'threads.recent'].map((name) => ({ hash: name, name, args: [] })),
  ...['threads.deleted', 'messages.deleted'].map((name) => ({ hash: name, name, args: [{ since: Date.now() }] })),
  ...preloadedIds.map((threadId) => messageWindow(threadId, preloadedMessages)),
]

/** A browser of its own each time. */
export const connect = async (guest: Guest, queries: readonly Query[] = pageQueries): Promise<WireClient> =>
  connectWire({ guest, token: await guest.token(), queries })

/** Until their object holds all their rows: a new one goes on reading after its first answer, and a write waits for the end of it. */
export async function untilWhole(guest: Guest): Promise<void> {
  const client = await connect(guest, [me])
  await client.confirmed(client.push('settings.update', nickname(-1)))
  await client.close()
}

/** One person at two machines. */
export const meet = async (url: string, guest?: Guest) => {
  const person = guest ?? (await newGuest(url))
  const [writer, reader] = await Promise.all([connect(person), connect(person)])
  return { guest: person, writer, reader }
}

/** The smallest write there is. */
export const nickname = (index: number) => ({ nickname: `name ${index}` })

export const hears = (client: WireClient, index: number): Promise<unknown> =>
  client.next((frame) => rowsOf(frame).some(({ value }) => value?.nickname === nickname(index).nickname))

/** As many tabs of each person as one may have, until there are `count`; one person after the other. In one browser, or one in each. */
export async function crowd(people: readonly Guest[], count: number, isOneBrowser = false): Promise<WireClient[]> {
  const clients: WireClient[] = []
  for (const guest of people) {
    const token = await guest.token()
    const open = Math.min(tabsOfOne, count - clients.length)
    const options = { guest, token, queries: pageQueries, ...(isOneBrowser ? { clientGroupID: newId('browser') } : {}) }
    for (let made = 0; made < open; made += connectedAtOnce) {
      const next = Array.from({ length: Math.min(connectedAtOnce, open - made) }, () => connectWire(options))
      clients.push(...(await Promise.all(next)))
    }
  }
  if (clients.length < count) throw new Error(`${people.length} people cannot have ${count} tabs`)
  return clients
}

/** What the server lets one person have, less a place for whoever writes. */
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
