/**
 * Step 7 of a mutation: commits what `edit` writes and the versions of the pokes that follow from it in one storage transaction, then sends
 * the pokes. A cookie is stored before it is sent. When `publish` throws, the engine's memory must be dropped.
 *
 * Rows of a poke are read from the replica while it is sent. The caller holds the object's lock until the last frame, so all parts are of one
 * state although there are awaits between them.
 */
import { yieldToEventLoop } from '../../lib/yield-to-event-loop.ts'
import { serverOverloaded } from '../protocol/error.ts'
import { maxCharsPerTick } from '../protocol/wire-limits.ts'
import type { Connection, Connections } from '../state/connections.ts'
import type { UserState } from '../state/user-state.ts'
import { composePoke, type Poke } from './compose.ts'
import { pokeFrames } from './frames.ts'

/** One poke for the connections of a group at one cookie. Without sharing, a push to ten tabs costs 26 % more CPU. */
type SharedPoke = { readonly poke: Poke; readonly connections: Connection[] }

/**
 * `newSocket` receives a poke even when it is empty: a client without a first poke never calls its queries complete. An error in the transaction
 * is thrown before the first await, so that the caller drops its memory before another task can store it.
 */
export function publish(state: UserState, connections: Connections, edit: () => void, newSocket?: WebSocket): Promise<void> {
  const nowMs = Date.now()
  const pokes = state.sql.transaction(() => {
    edit()
    const byCookie = new Map<string, SharedPoke>()
    for (const connection of connections.all()) {
      if (!isPoked(connection, nowMs)) continue
      const unchangedAt = connections.unchangedAt(connection)
      const name = `${connection.groupID} ${connection.cookie ?? ''} ${unchangedAt}`
      const shared = byCookie.get(name)
      if (shared) shared.connections.push(connection)
      else byCookie.set(name, { poke: composePoke(state, connection.groupID, connection.cookie, unchangedAt), connections: [connection] })
    }
    return [...byCookie.values()]
  })
  return sendPokes(connections, pokes, newSocket)
}

async function sendPokes(connections: Connections, pokes: readonly SharedPoke[], newSocket: WebSocket | undefined): Promise<void> {
  for (const { poke, connections: receivers } of pokes) {
    try {
      await sendPoke(connections, poke, receivers, newSocket)
    } catch (error) {
      // These clients' cookies are stored but their poke is incomplete: close them. The next `publish` sends the remaining pokes.
      for (const connection of receivers) connections.fail(connection, serverOverloaded('a poke could not be finished'))
      throw error
    }
  }
}

async function sendPoke(
  connections: Connections,
  poke: Poke,
  receivers: readonly Connection[],
  newSocket: WebSocket | undefined,
): Promise<void> {
  const { cookie, isEmpty, frames } = pokeFrames(poke)
  const concerned = isEmpty ? receivers.filter(({ socket }) => socket === newSocket) : receivers
  if (isEmpty) for (const connection of receivers) connections.setUnchangedAt(connection, poke.version)
  let open = concerned.map((connection) => connections.update(connection, { cookie }))
  let chars = 0
  let isLong = false
  for (const frame of frames) {
    for (const connection of open) connections.sendFrames(connection, [frame])
    chars += frame.length * open.length
    if (chars < maxCharsPerTick) continue
    chars = 0
    // The object may die from here on. A wake that finds this mark closes the connection.
    if (!isLong) open = open.map((connection) => connections.update(connection, { pokeInProgress: true }))
    isLong = true
    await yieldToEventLoop()
    open = open.filter(({ socket }) => socket.readyState === WebSocket.OPEN)
    if (open.length === 0) return
  }
  if (isLong) for (const connection of open) connections.update(connection, { pokeInProgress: false })
}

/** A connection with an expired token is not poked; its cookie stays, so it receives everything after `updateAuth`. */
const isPoked = ({ isInited, expiresAtMs }: Connection, nowMs: number): boolean => isInited && expiresAtMs > nowMs
