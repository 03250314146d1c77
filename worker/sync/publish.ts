/**
 * The last three beats: commit what `edit` writes and the versions of the pokes that follow from it in one storage transaction, then speak.
 * A cookie is stored before any client hears it. When this throws, the engine's memory must be dropped; who was being told has been asked to come back.
 *
 * Rows of a poke are read from the replica while it is sent. The caller holds the object's lock until the last is sent, so all of them are of
 * one state, however often others had their turn in between.
 */
import { othersTurn } from './others-turn.ts'
import { composePoke, type Poke } from './poke/compose.ts'
import { pokeFrames } from './poke/frames.ts'
import { comeBack } from './protocol/error.ts'
import { maxCharsPerTurn } from './protocol/limits.ts'
import type { Session, Sessions } from './sessions.ts'
import type { UserState } from './user-state.ts'

/** Connections of one group at one cookie. */
type Told = { readonly poke: Poke; readonly listeners: Session[] }

const tooSlow = 'too much is on its way; come back for the rest'

/**
 * `greeted` is poked even when there is nothing to say: without a first poke a client never calls its queries complete. What undoes the
 * transaction is thrown at once, so that nobody comes in between who would store what is remembered of it.
 */
export function publish(state: UserState, sessions: Sessions, edit: () => void, greeted?: WebSocket): Promise<void> {
  const nowMs = Date.now()
  const told = state.sql.transaction(() => {
    edit()
    const standings = new Map<string, Told>()
    for (const session of sessions.all()) {
      if (!isListening(session, nowMs)) continue
      if (sessions.isBehind(session)) {
        sessions.close(session, 1000, tooSlow)
        continue
      }
      const standing = `${session.groupID} ${session.cookie ?? ''}`
      const known = standings.get(standing)
      if (known) known.listeners.push(session)
      else standings.set(standing, { poke: composePoke(state, session.groupID, session.cookie), listeners: [session] })
    }
    return [...standings.values()]
  })
  return speakToAll(sessions, told, greeted)
}

async function speakToAll(sessions: Sessions, told: readonly Told[], greeted: WebSocket | undefined): Promise<void> {
  for (const { poke, listeners } of told) {
    try {
      await speak(sessions, poke, listeners, greeted)
    } catch (error) {
      // Their cookies have moved already, and they will not hear the rest. Those whose turn had not come hear it with the next poke.
      for (const session of listeners) sessions.fail(session, comeBack('a poke could not be finished'))
      throw error
    }
  }
}

async function speak(sessions: Sessions, poke: Poke, standing: readonly Session[], greeted: WebSocket | undefined): Promise<void> {
  const { cookie, isEmpty, frames } = pokeFrames(poke)
  const listeners = isEmpty ? standing.filter(({ socket }) => socket === greeted) : standing
  let told = listeners.map((session) => sessions.update(session, { cookie }))
  let chars = 0
  let isLong = false
  for (const frame of frames) {
    for (const session of told) sessions.sendFrames(session, [frame])
    chars += frame.length * told.length
    if (chars < maxCharsPerTurn) continue
    chars = 0
    // From here on the object can be interrupted: whoever finds this in an attachment finds a client in the middle of a poke.
    if (!isLong) told = told.map((session) => sessions.update(session, { isHalfTold: true }))
    isLong = true
    await othersTurn()
    for (const session of told) if (!(await sessions.hasCaughtUp(session))) sessions.close(session, 1000, tooSlow)
    told = told.filter(({ socket }) => socket.readyState === WebSocket.OPEN)
    if (told.length === 0) return
  }
  if (isLong) for (const session of told) sessions.update(session, { isHalfTold: false })
}

/** A connection whose token has run out hears nothing until it brings another; its cookie stays where it is, so nothing is missed. */
const isListening = ({ isInited, expiresAtMs }: Session, nowMs: number): boolean => isInited && expiresAtMs > nowMs
