/**
 * The last three beats: commit what `edit` writes and the pokes that follow from it in one storage transaction, then speak.
 * A cookie is stored before any client hears it. When this throws, nothing happened and the engine's memory must be dropped.
 */
import { composePoke, type Poke } from './poke/compose.ts'
import { pokeFrames } from './poke/frames.ts'
import type { Session, Sessions } from './sessions.ts'
import type { UserState } from './user-state.ts'

/** `greeted` is poked even when there is nothing to say: without a first poke a client never calls its queries complete. */
export function publish(state: UserState, sessions: Sessions, edit: () => void, greeted?: WebSocket): void {
  const nowMs = Date.now()
  const pokes = state.sql.transaction(() => {
    edit()
    const composed = new Map<string, Poke>()
    return sessions
      .all()
      .filter((session) => isListening(session, nowMs))
      .map((session) => {
        const standing = `${session.groupID} ${session.cookie ?? ''}`
        const poke = composed.get(standing) ?? composePoke(state, session.groupID, session.cookie)
        composed.set(standing, poke)
        return { session, poke }
      })
  })
  const framesOf = new Map<Poke, readonly string[]>()
  for (const { session, poke } of pokes) {
    if (poke.parts.length === 0 && session.socket !== greeted) continue
    const frames = framesOf.get(poke) ?? pokeFrames(poke)
    framesOf.set(poke, frames)
    sessions.sendFrames(sessions.update(session, { cookie: poke.cookie }), frames)
  }
}

/** A connection whose token has run out hears nothing until it brings another; its cookie stays where it is, so nothing is missed. */
const isListening = ({ isInited, expiresAtMs }: Session, nowMs: number): boolean => isInited && expiresAtMs > nowMs
