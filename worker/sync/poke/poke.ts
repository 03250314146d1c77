/**
 * The content that brings a client group from one version to the current one: rows, got and desired queries, progress, results. Call it in
 * the transaction that wrote the version, and send after the commit. Pure in (group, base), so connections with one cookie share it.
 */

import { yieldToEventLoop } from '../../lib/pace.ts'
import { tablesOf } from '../engine/compile.ts'
import type { Version } from '../engine/types.ts'
import { decodeCookie, encodeCookie } from '../engine/versions.ts'
import { encodeDown, type PokePart, type QueryOp, serverOverloaded } from '../protocol/down.ts'
import { maxCharsPerTick, maxPartChars, maxPartRows } from '../protocol/wire-limits.ts'
import type { Connection, Connections } from '../state/connections.ts'
import type { UserState } from '../state/user-state.ts'

export type Poke = {
  readonly baseCookie: string | null
  readonly version: Version
  /** The parts before the rows, in the order of sending. */
  readonly head: readonly PokePart[]
  /** Row ops as text. Read once, before any other write. */
  readonly rows: Iterable<string>
}

/** `unchangedAt`: nothing that the client needs changed between its cookie and this version. */
export function composePoke(state: UserState, groupID: string, baseCookie: string | null, unchangedAt: Version): Poke {
  const held = baseCookie === null ? null : versionOf(state, groupID, baseCookie)
  const since = held === null || held < 0 ? held : Math.max(held, unchangedAt)
  const delta = state.engine.stream(groupID, since)
  const gotQueriesPatch: QueryOp[] = [
    ...delta.removed.map((hash) => ({ op: 'del', hash }) as const),
    ...completeQueries(state, groupID, delta.clear ? null : since, delta.got).map((hash) => ({ op: 'put', hash }) as const),
  ]
  const memory = metadataPart(state, groupID, delta.clear ? null : since)
  const first = { ...memory, ...(gotQueriesPatch.length > 0 ? { gotQueriesPatch } : {}) }
  const head: PokePart[] = [
    // Alone and first: a clear deletes the client's whole key space.
    ...(delta.clear ? [{ rowsPatch: [{ op: 'clear' as const }] }] : []),
    // Progress and results are one part, or a refused mutation would look successful.
    ...(Object.keys(first).length > 0 ? [first] : []),
  ]
  return { baseCookie, version: delta.version, head, rows: delta.rows }
}

/**
 * The cookie as a version. If the cookie is from before the group was stored, the object does not know what the client has. Then the version
 * is -1, below every floor, so the client is cleared.
 */
function versionOf({ groups }: UserState, groupID: string, cookie: string): Version | null {
  const version = decodeCookie(cookie)
  return version !== null && version < groups.knownSince(groupID) ? -1 : version
}

/** Clears a client of a group that exists only in the source. */
export function composeClear(state: UserState, groupID: string, baseCookie: string): Poke {
  const head = [{ rowsPatch: [{ op: 'clear' as const }] }, metadataPart(state, groupID, null)]
  return { baseCookie, version: state.engine.version, head, rows: [] }
}

function metadataPart(state: UserState, groupID: string, since: Version | null): PokePart {
  const lastMutationIDChanges = state.clients.changes(groupID, since)
  const desiredQueriesPatches = state.desiredQueries.changes(groupID, since)
  const mutationsPatch = state.results.changes(groupID, since)
  return {
    ...(Object.keys(lastMutationIDChanges).length > 0 ? { lastMutationIDChanges } : {}),
    ...(Object.keys(desiredQueriesPatches).length > 0 ? { desiredQueriesPatches } : {}),
    ...(mutationsPatch.length > 0 ? { mutationsPatch } : {}),
  }
}

/**
 * Queries to report as complete. During an import, a query that reads a partly imported table is answered with the rows that exist and is not
 * complete. When a table is complete, queries are reported again. `got`: queries that are new to a client at `since`.
 */
function completeQueries({ engine, meta }: UserState, groupID: string, since: Version | null, got: readonly string[]): readonly string[] {
  const { cursors, completedAt } = meta.importing
  const queries = engine.queries(groupID)
  const reported = since !== null && since < completedAt ? queries.map(({ hash }) => hash) : got
  if (cursors.length === 0) return reported
  const partial = new Set(cursors.map(({ table }) => table))
  const isPartial = new Set(queries.filter(({ ast }) => [...tablesOf(ast)].some((table) => partial.has(table))).map(({ hash }) => hash))
  return reported.filter((hash) => !isPartial.has(hash))
}

/**
 * A poke as frames. Its rows are read while it is sent, and memory holds one part. Pokes of a connection do not overlap, so their id can be
 * constant and short.
 */

const pokeID = 'p'

/**
 * An op without effect, sent before a poke that would start with a put. The client merges pokes, and if one contains an update it
 * bulk-loads the puts before any other op, unsorted, which fails. Without puts at the start it applies each op.
 */
const nothing = { op: 'del', hash: '' } as const

export type Frames = {
  readonly cookie: string
  /** Nothing that this group sees has changed. */
  readonly isEmpty: boolean
  readonly frames: Iterable<string>
}

/** Reads the first part of the rows, because the cookie depends on whether there is one. */
export function pokeFrames({ baseCookie, version, head, rows }: Poke): Frames {
  const parts = splitTexts(rows)
  const first = parts.next()
  const isEmpty = head.length === 0 && first.done === true
  // An empty poke must not change the cookie: the client drops the patch of a poke whose cookie did not grow, and an empty poke has no patch.
  const cookie = isEmpty && baseCookie !== null ? baseCookie : encodeCookie(version)
  return { cookie, isEmpty, frames: framesOf() }

  function* framesOf(): Generator<string> {
    yield encodeDown(['pokeStart', { pokeID, baseCookie }])
    let isGuarded = false
    for (const part of head) {
      if (beginsWithPut(part)) {
        yield encodeDown(['pokePart', { gotQueriesPatch: [nothing], pokeID }])
        isGuarded = true
      }
      yield encodeDown(['pokePart', { ...part, pokeID }])
    }
    for (let part = first; !part.done; part = parts.next()) {
      const guard = !isGuarded && part.value[0]?.startsWith('{"op":"put"') ? `"gotQueriesPatch":[${JSON.stringify(nothing)}],` : ''
      yield `["pokePart",{${guard}"rowsPatch":[${part.value.join(',')}],"pokeID":"${pokeID}"}]`
      isGuarded = true
    }
    yield encodeDown(['pokeEnd', { pokeID, cookie }])
  }
}

/** Queries and results before the rows; progress is not an op. */
const beginsWithPut = ({ desiredQueriesPatches, gotQueriesPatch, mutationsPatch }: PokePart): boolean =>
  desiredQueriesPatches !== undefined || gotQueriesPatch !== undefined || mutationsPatch !== undefined

/** A part is never empty. A row above the limit is sent as its own part. Memory holds one part and the row that did not fit. */
export function* splitTexts(rows: Iterable<string>): Generator<readonly string[], undefined> {
  let part: string[] = []
  let chars = 0
  for (const row of rows) {
    if (part.length > 0 && (part.length >= maxPartRows || chars + row.length > maxPartChars)) {
      yield part
      part = []
      chars = 0
    }
    part.push(row)
    chars += row.length
  }
  if (part.length > 0) yield part
  return undefined
}

/**
 * Step 7 of a mutation: commits what `edit` writes and the versions of the pokes that follow from it in one storage transaction, then sends
 * the pokes. A cookie is stored before it is sent. When `publish` throws, the engine's memory must be dropped.
 *
 * Rows of a poke are read from the replica while it is sent. The caller holds the object's lock until the last frame, so all parts are of one
 * state although there are awaits between them.
 */

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
