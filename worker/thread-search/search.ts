/** The searches of one object (SPEC L1 to L4). */
import type { FindInThread, FoundInThread } from '../contract/threads/find-in-thread.ts'
import type { FoundMessages, SearchRequest } from '../contract/threads/search.ts'
import { pauseAfter } from '../lib/pace.ts'
import { type Bucket, type BucketLimit, takeToken } from '../lib/token-bucket.ts'
import type { UserState } from '../sync/state/user-state.ts'
import { findInThread, findMessages } from './find-messages.ts'
import { indexNextSlice, isCurrent } from './index-tables.ts'

type SearchTarget = { readonly state: UserState; readonly userId: string; readonly isImporting: boolean }
/** Runs a step under the lock. False when the object was emptied. */
type RunUnderLock = (step: () => boolean) => Promise<boolean>

/** Chosen: slices that one request indexes: 5,000 messages, in about two seconds with the pauses. The page repeats the request. */
export const slicesPerRequest = 25

/** Null when the object was emptied. Marked incomplete if messages remain that are not in the index. */
export async function searchMessages(
  searched: SearchTarget,
  request: SearchRequest,
  runUnderLock: RunUnderLock,
): Promise<FoundMessages | null> {
  const { state, userId } = searched
  const answer = (): FoundMessages => ({ ...findMessages(state.sql, userId, request), isComplete: !searched.isImporting })
  // Mostly the index is current, and the search does not wait.
  if (isCurrent(state)) return answer()
  const answers: FoundMessages[] = []
  let slices = 0
  let sliceMs = 0
  const step = () => {
    const begunMs = Date.now()
    const isMore = indexNextSlice(state)
    slices += 1
    // In the task of the last slice: the next task may make the index stale.
    if (!isMore) answers.push(answer())
    else if (slices === slicesPerRequest) answers.push({ ...answer(), isComplete: false })
    sliceMs = Date.now() - begunMs
    return answers.length === 0
  }
  while (await runUnderLock(step)) await pauseAfter(sliceMs, 'own')
  return answers[0] ?? null
}

/** Chosen: a page searches a moment after the last key, so typing does not reach this limit. */
export const searchLimit: BucketLimit = { burst: 30, perSecond: 3 }

/** Limited per second; of the searches that wait for the index, only the newest continues (SPEC L4). */
export class ThreadSearch {
  /** In memory: before hibernation the object was idle for ten seconds, and the bucket fills in that time. */
  #bucket: Bucket | null = null
  #newest = 0

  /** False above the limit. */
  applyRateLimit(nowMs: number): boolean {
    const bucket = takeToken(this.#bucket, searchLimit, nowMs)
    if (bucket) this.#bucket = bucket
    return bucket !== null
  }

  /** Reads no index, so it never waits. */
  inThread({ state, userId }: SearchTarget, request: FindInThread, nowMs: number): FoundInThread | 'rate_limited' {
    return this.applyRateLimit(nowMs) ? findInThread(state.sql, userId, request) : 'rate_limited'
  }

  async run(
    searched: SearchTarget,
    request: SearchRequest,
    runUnderLock: RunUnderLock,
    nowMs: number,
  ): Promise<FoundMessages | 'rate_limited'> {
    if (!this.applyRateLimit(nowMs)) return 'rate_limited'
    this.#newest += 1
    const searchNumber = this.#newest
    const isNewest = () => searchNumber === this.#newest
    const found = await searchMessages(searched, request, (step) => runUnderLock(() => isNewest() && step()))
    if (found) return found
    return isNewest() ? { found: [], isComplete: false, isCut: false } : 'rate_limited'
  }
}
