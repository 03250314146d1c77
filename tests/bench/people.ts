/** Who connects in a benchmark, with what, and how they tell that a write has arrived. */
import { type Guest, newGuest } from '../support/guest.ts'
import { connectWire, type Query, rowsOf, type WireClient } from '../support/wire-client.ts'

export const me: Query = { hash: 'me', name: 'me', args: [] }
export const threadList: Query = { hash: 'list', name: 'threads.list', args: [{ limit: 50 }] }
export const thread = (threadId: string): Query => ({ hash: `one-${threadId}`, name: 'threads.one', args: [{ threadId }] })

/** What the page asks for first. */
export const pageQueries = [me, threadList]

/** A browser of its own each time. */
export const connect = async (guest: Guest, queries: readonly Query[] = pageQueries): Promise<WireClient> =>
  connectWire({ guest, token: await guest.token(), queries })

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

export const closeAll = async (...clients: readonly { close(): Promise<void> }[]): Promise<void> => {
  await Promise.all(clients.map((client) => client.close()))
}

let made = 0
export const newId = (kind: string): string => `${kind}-${Date.now().toString(36)}-${++made}`
