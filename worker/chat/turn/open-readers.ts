/**
 * The stream readers of one Generation object, from request to end: a bounded number, and only of live sessions. In memory
 * only, like the streams.
 */
import { maxStreamReaders, readerReplacedAfterMs } from '../../contract/limits.ts'
import type { EndedSessions } from '../../contract/user-sync-calls.ts'
import type { StreamRequest } from './stream-request.ts'

type OpenReader = Pick<StreamRequest, 'userId' | 'sessionId' | 'readerId'> & {
  readonly openedAtMs: number
  readonly ended: AbortController
}

/** Why a reader ends before its answer: `replaced` by a newer request of the same page, or by another reader at the limit. */
export type ReaderEnd = 'session-ended' | 'replaced'

/**
 * Chosen: longer than a request or a start command sent before the session ended can take to arrive. Later requests fail the check of the
 * session in D1.
 */
const endedRetentionMs = 60_000

export type RegisteredReader = {
  /** Aborts with a `ReaderEnd`. */
  readonly signal: AbortSignal
  readonly leave: () => void
}

export class OpenReaders {
  readonly #readers = new Set<OpenReader>()
  /** Ended sessions and users, with the time until which they are remembered. */
  readonly #ended = new Map<string, number>()

  /**
   * Registers a reader until it leaves, or names the HTTP status of the refusal. The platform may report a broken connection late or not at
   * all. So a page that reconnects replaces its earlier reader, and at the limit a new reader replaces the oldest one, unless that is too new.
   */
  register({ userId, sessionId, readerId }: StreamRequest, nowMs: number): RegisteredReader | 401 | 429 {
    if (this.#isEnded(sessionKey(sessionId), nowMs) || this.#isEnded(userKey(userId), nowMs)) return 401
    const others = [...this.#readers]
    const earlier = others.find((reader) => readerId !== '' && reader.readerId === readerId && reader.sessionId === sessionId)
    const oldest = others.length < maxStreamReaders ? undefined : others[0]
    if (!earlier && oldest && nowMs < oldest.openedAtMs + readerReplacedAfterMs) return 429
    const replaced = earlier ?? oldest
    if (replaced) this.#end(replaced, 'replaced')
    const reader = { userId, sessionId, readerId, openedAtMs: nowMs, ended: new AbortController() }
    this.#readers.add(reader)
    return { signal: reader.ended.signal, leave: () => void this.#readers.delete(reader) }
  }

  endSessions(userId: string, ended: EndedSessions, nowMs: number): void {
    for (const [key, untilMs] of this.#ended) if (untilMs <= nowMs) this.#ended.delete(key)
    const keys = ended === 'all' ? [userKey(userId)] : ended.map(sessionKey)
    for (const key of keys) this.#ended.set(key, nowMs + endedRetentionMs)
    for (const reader of [...this.#readers]) {
      const isOver = ended === 'all' ? reader.userId === userId : ended.includes(reader.sessionId)
      if (isOver) this.#end(reader, 'session-ended')
    }
  }

  #end(reader: OpenReader, why: ReaderEnd): void {
    this.#readers.delete(reader)
    reader.ended.abort(why)
  }

  #isEnded(key: string, nowMs: number): boolean {
    return (this.#ended.get(key) ?? 0) > nowMs
  }
}

const sessionKey = (id: string) => `session/${id}`
const userKey = (id: string) => `user/${id}`
