/**
 * Writes the person's first page to KV, for the sessions that may read it: when its rows have changed, at most once a second per key, never
 * the same text twice a day. What comes in between waits for the alarm, so that no timer keeps the object awake. Nothing waits for KV, and
 * nothing depends on it: a write that fails is made up for by the next change or connection. Runs under the object's lock. What is recorded joins the
 * row that the change writes anyway, in its transaction; KV is told once that is committed.
 */
import { type Hint, type HintBindings, hintKept, hintKey, hintVersion } from '../db/first-page-hint.ts'
import { fingerprint } from '../lib/fingerprint.ts'
import { logger } from '../lib/logger.ts'
import { encodeCookie } from './engine/cookie.ts'
import { hintRows } from './hint-rows.ts'
import type { HintRecord } from './state/meta.ts'
import type { UserState } from './user-state.ts'

/** KV's own limit is one write a second per key. */
export const hintIntervalMs = 1000
/** Ours: each is a key of its own. More than a few browsers at once are not one person looking. */
const maxSessions = 4

/** The digest of a text that KV refused: no text has it. */
const notTaken = ''
const nothingWritten: HintRecord = { digest: notTaken, atMs: Number.NEGATIVE_INFINITY, sessionIds: [] }

type Unsent = { readonly text: string; readonly due: readonly string[]; readonly left: readonly string[] }

export type HintWriterDeps = {
  readonly env: HintBindings
  readonly userId: string
  readonly state: UserState
  /** Keeps the object alive until the work is done, and waits for nothing. */
  readonly inBackground: (work: Promise<void>) => void
}

export class HintWriter {
  readonly #deps: HintWriterDeps
  /** What is recorded, and not given to KV before that is committed. */
  #unsent: Unsent | null = null
  /** KV may hold something else than is recorded. */
  #isDoubted = false
  /** When the rows were last read for a hint; kept in memory only, for it saves work and no writes. */
  #lookedAtMs = Number.NEGATIVE_INFINITY
  #flight: Promise<void> | null = null
  /** What was last to be made could not be read. */
  #hasFailed = false
  /** Sessions that have ended. A connect under way may still bring one: nothing is written for it, and nothing needs to be deleted again. */
  readonly #forgotten = new Set<string>()

  constructor(deps: HintWriterDeps) {
    this.#deps = deps
  }

  /** A session has connected. One that has its hint needs no other: every change since was offered. What KV did not take is tried again. */
  joined(sessionIds: readonly string[], nowMs: number): boolean {
    const { sessionIds: known, atMs, digest } = this.#written
    const isKept = digest !== notTaken && nowMs - atMs < hintKept.ms && sessionIds.every((id) => known.includes(id))
    return !isKept && this.offer(sessionIds, nowMs)
  }

  /** Whether the alarm will write the newest rows anyway, so that nobody has to be asked. */
  isDue(nowMs: number): boolean {
    const atMs = this.#deps.state.meta.deadline('hint')
    return atMs !== null && atMs > nowMs && atMs - nowMs <= hintIntervalMs
  }

  /**
   * Rows have changed. Without connections it is for the sessions that were here last: what they began goes on without them.
   * True when it is too early: then the deadline is set, and the caller arms the alarm. Otherwise `send` does what is left to do.
   */
  offer(sessionIds: readonly string[], nowMs: number): boolean {
    const { env, state } = this.#deps
    const known = sessionIds.length > 0 ? sessionIds : this.#written.sessionIds
    const readers = [...new Set(known)].filter((id) => !this.#forgotten.has(id)).slice(0, maxSessions)
    if (!env.HINTS || readers.length === 0) return false
    const readyAtMs = Math.max(this.#written.atMs, this.#lookedAtMs) + hintIntervalMs
    // A clock that was set back must not silence us.
    const isEarly = nowMs < readyAtMs && readyAtMs - nowMs <= hintIntervalMs
    if (isEarly || this.#flight !== null) {
      if (state.meta.deadline('hint') !== null) return false
      state.meta.setDeadline('hint', isEarly ? readyAtMs : nowMs + hintIntervalMs)
      return true
    }
    try {
      this.#prepare(readers, nowMs)
      this.#hasFailed = false
      return false
    } catch (error) {
      logger.error('hint not made', error)
      // Once more by the alarm, for nobody else would notice: of a hint that is known to be there, who connects is told nothing.
      const isRepeated = this.#hasFailed
      this.#hasFailed = !isRepeated
      if (!isRepeated) state.meta.setDeadline('hint', nowMs + hintIntervalMs)
      return !isRepeated
    }
  }

  /** Sessions have ended: nobody can name their keys any more, and their values need not wait for their end. */
  forget(ended: readonly string[] | 'all'): void {
    try {
      this.#forget(ended)
    } catch (error) {
      // Whoever ends a session has more to do. Told once more, we try once more; and the value goes by itself after a day.
      logger.error('hint not forgotten', error)
    }
  }

  #forget(ended: readonly string[] | 'all'): void {
    const { env, state, userId } = this.#deps
    const kv = env.HINTS
    const written = this.#written
    const gone = (ended === 'all' ? written.sessionIds : ended).filter((id) => !this.#forgotten.has(id))
    if (!kv || gone.length === 0) return
    if (gone.some((id) => written.sessionIds.includes(id)))
      state.meta.hint = { ...written, sessionIds: written.sessionIds.filter((id) => !gone.includes(id)) }
    for (const id of gone) this.#forgotten.add(id)
    // Behind a write that may be on its way.
    const before = this.#flight ?? Promise.resolve()
    this.#run(
      before.then(() => Promise.all(gone.map((id) => kv.delete(hintKey(userId, id))))),
      'hint not deleted',
    )
  }

  /** To be called once it is committed what was recorded. Sessions may have ended since. */
  send(): void {
    const unsent = this.#unsent
    const { env, userId } = this.#deps
    const kv = env.HINTS
    this.#unsent = null
    if (!unsent || !kv) return
    const { text, due, left } = unsent
    const write = async () => {
      const puts = due
        .filter((id) => !this.#forgotten.has(id))
        .map((id) => kv.put(hintKey(userId, id), text, { expirationTtl: hintKept.s }))
      // A key that nobody reads now would show what is no longer so, for a day.
      await Promise.all([...puts, ...left.map((id) => kv.delete(hintKey(userId, id)))])
    }
    // Behind the deletions for sessions that have ended since.
    this.#run((this.#flight ?? Promise.resolve()).then(write), 'hint not written')
  }

  /** To be called when it is not known whether what was recorded is committed. */
  reset(): void {
    this.#isDoubted ||= this.#unsent !== null
    this.#unsent = null
  }

  #prepare(readers: readonly string[], nowMs: number): void {
    const { state, userId } = this.#deps
    if (state.meta.deadline('hint') !== null) state.meta.setDeadline('hint', null)
    this.#lookedAtMs = nowMs
    const { rows, recent } = hintRows(state.engine, userId, nowMs)
    const digest = fingerprint(JSON.stringify([hintVersion, rows, recent]))
    const written = this.#written
    const isSame = !this.#isDoubted && written.digest === digest && nowMs - written.atMs < hintKept.ms
    const due = isSame ? readers.filter((id) => !written.sessionIds.includes(id)) : readers
    if (due.length === 0) return
    const hint: Hint = { version: hintVersion, userId, cookie: encodeCookie(state.engine.version), writtenAtMs: nowMs, rows, recent }
    const left = isSame ? [] : written.sessionIds.filter((id) => !due.includes(id))
    const unsent = { text: JSON.stringify(hint), due, left }
    state.meta.hint = isSame ? { ...written, sessionIds: [...written.sessionIds, ...due] } : { digest, atMs: nowMs, sessionIds: due }
    this.#isDoubted = false
    this.#unsent = unsent
  }

  /** One at a time, so that an older text never lands on a newer one. */
  #run(work: Promise<unknown>, complaint: string): void {
    const flight: Promise<void> = work
      .catch((error: unknown) => {
        logger.warn(complaint, { reason: error instanceof Error ? error.message : 'unknown' })
        // Whatever KV holds now, the next change or connection replaces it; also when that cannot be stored.
        this.#isDoubted = true
        this.#deps.state.meta.hint = { ...this.#written, digest: notTaken }
      })
      .catch((error: unknown) => logger.error('hint not remembered', error))
      .then(() => {
        if (this.#flight === flight) this.#flight = null
      })
    this.#flight = flight
    this.#deps.inBackground(flight)
  }

  get #written(): HintRecord {
    return this.#deps.state.meta.hint ?? nothingWritten
  }
}
