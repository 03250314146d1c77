/**
 * Writes the person's first page to KV, for the sessions that may read it: when its rows have changed, at most once a second per key, never
 * the same text twice a day. What comes in between waits for the alarm, so that no timer keeps the object awake. Nothing waits for KV, and
 * nothing depends on it: a write that fails is made up for by the next change. Runs under the object's lock, outside its transactions.
 */
import { type Hint, type HintBindings, hintKept, hintKey, hintVersion } from '../db/first-page-hint.ts'
import { fingerprint } from '../lib/fingerprint.ts'
import { logger } from '../lib/logger.ts'
import { encodeCookie } from './engine/cookie.ts'
import { hintRows } from './hint-rows.ts'
import type { UserState } from './user-state.ts'

/** KV's own limit is one write a second per key. */
export const hintIntervalMs = 1000
/** Ours: each is a key of its own. More than a few browsers at once are not one person looking. */
const maxSessions = 4

/** What KV was last given. `sessionIds` name the keys. */
type Written = { readonly digest: string; readonly atMs: number; readonly sessionIds: readonly string[] }

const nothingWritten: Written = { digest: '', atMs: Number.NEGATIVE_INFINITY, sessionIds: [] }

export type HintWriterDeps = {
  readonly env: HintBindings
  readonly userId: string
  readonly state: UserState
  /** Keeps the object alive until the work is done, and waits for nothing. */
  readonly inBackground: (work: Promise<void>) => void
}

export class HintWriter {
  readonly #deps: HintWriterDeps
  #known: Written | null = null
  /** When the rows were last read for a hint; kept in memory only, for it saves work and no writes. */
  #lookedAtMs = Number.NEGATIVE_INFINITY
  #flight: Promise<void> | null = null
  /** Sessions that have ended. A connect under way may still bring one: nothing is written for it, and nothing needs to be deleted again. */
  readonly #forgotten = new Set<string>()

  constructor(deps: HintWriterDeps) {
    this.#deps = deps
  }

  /** A session has connected. One that has its hint needs no other: every change since was offered. */
  joined(sessionIds: readonly string[], nowMs: number): boolean {
    const { sessionIds: known, atMs } = this.#written
    return (nowMs - atMs >= hintKept.ms || sessionIds.some((id) => !known.includes(id))) && this.offer(sessionIds, nowMs)
  }

  /** Whether the alarm will write the newest rows anyway, so that nobody has to be asked. */
  isDue(nowMs: number): boolean {
    const atMs = this.#deps.state.meta.deadline('hint')
    return atMs !== null && atMs > nowMs && atMs - nowMs <= hintIntervalMs
  }

  /**
   * Rows have changed. Without connections it is for the sessions that were here last: what they began goes on without them.
   * True when it is too early: then the deadline is set, and the caller arms the alarm.
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
      this.#write(env.HINTS, readers, nowMs)
    } catch (error) {
      logger.error('hint not made', error)
    }
    return false
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
    const { env, userId } = this.#deps
    const kv = env.HINTS
    const written = this.#written
    const gone = (ended === 'all' ? written.sessionIds : ended).filter((id) => !this.#forgotten.has(id))
    if (!kv || gone.length === 0) return
    if (gone.some((id) => written.sessionIds.includes(id)))
      this.#remember({ ...written, sessionIds: written.sessionIds.filter((id) => !gone.includes(id)) })
    for (const id of gone) this.#forgotten.add(id)
    // Behind a write that may be on its way.
    const before = this.#flight ?? Promise.resolve()
    this.#run(
      before.then(() => Promise.all(gone.map((id) => kv.delete(hintKey(userId, id))))),
      'hint not deleted',
    )
  }

  #write(kv: KVNamespace, readers: readonly string[], nowMs: number): void {
    const { state, userId } = this.#deps
    if (state.meta.deadline('hint') !== null) state.meta.setDeadline('hint', null)
    this.#lookedAtMs = nowMs
    const { rows, recent } = hintRows(state.engine, userId)
    const digest = fingerprint(JSON.stringify([hintVersion, rows, recent]))
    const written = this.#written
    const isSame = written.digest === digest && nowMs - written.atMs < hintKept.ms
    const due = isSame ? readers.filter((id) => !written.sessionIds.includes(id)) : readers
    if (due.length === 0) return
    this.#remember(isSame ? { ...written, sessionIds: [...written.sessionIds, ...due] } : { digest, atMs: nowMs, sessionIds: due })
    const hint: Hint = { version: hintVersion, userId, cookie: encodeCookie(state.engine.version), writtenAtMs: nowMs, rows, recent }
    const text = JSON.stringify(hint)
    const puts = due.map((id) => kv.put(hintKey(userId, id), text, { expirationTtl: hintKept.s }))
    // A key that nobody reads now would show what is no longer so, for a day.
    const left = isSame ? [] : written.sessionIds.filter((id) => !due.includes(id))
    this.#run(Promise.all([...puts, ...left.map((id) => kv.delete(hintKey(userId, id)))]), 'hint not written')
  }

  /** One at a time, so that an older text never lands on a newer one. */
  #run(work: Promise<unknown>, complaint: string): void {
    const flight: Promise<void> = work
      .catch((error: unknown) => {
        logger.warn(complaint, { reason: error instanceof Error ? error.message : 'unknown' })
        // Whatever KV holds now, the next change replaces it; also when that cannot be stored.
        this.#known = { ...this.#written, digest: '' }
        this.#remember(this.#known)
      })
      .catch((error: unknown) => logger.error('hint not remembered', error))
      .then(() => {
        if (this.#flight === flight) this.#flight = null
      })
    this.#flight = flight
    this.#deps.inBackground(flight)
  }

  get #written(): Written {
    if (this.#known) return this.#known
    const [row] = this.#deps.state.sql.all<{ value: string }>("select value from sync_meta where name = 'hint'")
    // Written by `#remember` alone.
    this.#known = row ? (JSON.parse(row.value) as Written) : nothingWritten
    return this.#known
  }

  /** What could not be stored is not given to KV either. */
  #remember(written: Written): void {
    this.#deps.state.sql.run(
      "insert into sync_meta (name, value) values ('hint', ?) on conflict (name) do update set value = excluded.value",
      JSON.stringify(written),
    )
    this.#known = written
  }
}
