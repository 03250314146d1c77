/**
 * Rate limits for connects of one user, over all browsers: one token bucket for every connect, and one for connects of client groups that the
 * object has not stored. Both are stored with each connect of a session that D1 has, so hibernation and eviction do not refill them (R9, R10).
 */
import { type Bucket, msUntil, refilled, retryShare } from '../../lib/token-bucket.ts'
import type { SyncLimits } from '../object/app.ts'
import { type ErrorBody, fatal, serverOverloaded } from '../protocol/down.ts'
import { refuseSocket } from './upgrade.ts'

type ConnectRates = Pick<SyncLimits, 'connects' | 'newGroups'>

/** Chosen: the first connect of an ended session reads D1; others in this time are refused without a read. */
const endedSessionMs = 10_000

type Buckets = { readonly [name in keyof ConnectRates]: Bucket | null }

const storageKey = 'connect buckets'
const untouched: Buckets = { connects: null, newGroups: null }

export class ConnectLimits {
  /** Connects that have not finished. Their sockets are not registered yet. */
  inFlight = 0
  readonly #kv: SyncKvStorage
  readonly #rates: ConnectRates
  /** Sessions that D1 did not have, and when it was asked. */
  readonly #endedAtMs = new Map<string, number>()

  constructor(kv: SyncKvStorage, rates: ConnectRates) {
    this.#kv = kv
    this.#rates = rates
  }

  /** Runs one connect under the lock. Checks the limit on arrival and again when the lock is free. */
  async run({ subProtocol, sessionId }: Arrival, queue: Queue, connect: () => Promise<Response>): Promise<Response> {
    const refuse = () => {
      const refusal = this.refusal(sessionId, ['connects'], Date.now())
      return refusal && refuseSocket(subProtocol, refusal)
    }
    const refused = refuse()
    if (refused) return refused
    this.inFlight += 1
    return queue.run(async () => refuse() ?? connect()).finally(() => (this.inFlight -= 1))
  }

  /** The refusal of a connect before D1 is read, or null. Takes no token. */
  refusal(sessionId: string, names: readonly (keyof ConnectRates)[], nowMs: number): ErrorBody | null {
    if (nowMs - (this.#endedAtMs.get(sessionId) ?? -endedSessionMs) < endedSessionMs) return sessionEnded
    const buckets = this.#refilled(nowMs)
    const empty = names.find((name) => buckets[name].tokens < 1)
    if (!empty) return null
    const limit = this.#rates[empty]
    return serverOverloaded(refusals[empty], msUntil(buckets[empty], limit.burst * retryShare, limit))
  }

  /** Takes a token of each. Called once D1 has found the session, so that a token of an ended session takes nothing from the others. */
  take(names: readonly (keyof ConnectRates)[], nowMs: number): void {
    const buckets = this.#refilled(nowMs)
    const taken = names.map((name) => [name, { ...buckets[name], tokens: buckets[name].tokens - 1 }])
    this.#kv.put(storageKey, { ...buckets, ...Object.fromEntries(taken) })
  }

  noteEnded(sessionId: string, nowMs: number): void {
    for (const [id, atMs] of this.#endedAtMs) if (nowMs - atMs >= endedSessionMs) this.#endedAtMs.delete(id)
    this.#endedAtMs.set(sessionId, nowMs)
  }

  #refilled(nowMs: number): { readonly [name in keyof ConnectRates]: Bucket } {
    // Written by `take` alone.
    const stored = this.#kv.get<Buckets>(storageKey) ?? untouched
    const { connects, newGroups } = this.#rates
    return { connects: refilled(stored.connects, connects, nowMs), newGroups: refilled(stored.newGroups, newGroups, nowMs) }
  }
}

type Queue = { run(work: () => Promise<Response>): Promise<Response> }
type Arrival = { readonly subProtocol: string | null; readonly sessionId: string }

const sessionEnded = fatal('Unauthorized', 'the session has ended')

const refusals: { readonly [name in keyof ConnectRates]: string } = {
  connects: 'too many connects in a short time',
  newGroups: 'too many new client groups in a short time',
}
