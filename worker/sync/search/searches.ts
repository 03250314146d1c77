/** The searches of one object: so many in a second, and of those that wait for the index only the newest (SPEC L4). */
import type { FindRequest, FoundMessages } from '../../contract/found-text.ts'
import { type Bucket, type BucketLimit, refilled } from '../limits/token-bucket.ts'
import { type InLine, type Searched, searchMessages } from './search.ts'

/** Ours: a page asks a moment after the last key, so nobody who types comes near it, and whoever does not type keeps no object busy. */
export const searchLimit: BucketLimit = { burst: 30, perSecond: 3 }

export class Searches {
  /** In memory: an object that sleeps has had ten seconds of silence, in which it would have filled anyway. */
  #bucket: Bucket | null = null
  #newest = 0

  async run(searched: Searched, asked: FindRequest, inLine: InLine, nowMs: number): Promise<FoundMessages | 'rate_limited'> {
    const bucket = refilled(this.#bucket, searchLimit, nowMs)
    if (bucket.tokens < 1) return 'rate_limited'
    this.#bucket = { ...bucket, tokens: bucket.tokens - 1 }
    this.#newest += 1
    const mine = this.#newest
    const isNewest = () => mine === this.#newest
    const found = await searchMessages(searched, asked, (step) => inLine(() => isNewest() && step()))
    if (found) return found
    return isNewest() ? { found: [], isComplete: false, isCut: false } : 'rate_limited'
  }
}
