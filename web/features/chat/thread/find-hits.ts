/** The results of the find bar: messages of the shown branch with the text, first to last, and the number of results in each. */
import { useEffect, useState } from 'react'
import { occurrencesOf, shownText } from '../../../../worker/contract/threads/find-in-thread.ts'
import type { ChatMessage } from '../../../../worker/contract/threads/messages.ts'
import { findInThread } from '../../../lib/search-messages.ts'
import { sleep } from '../../../lib/sleep.ts'
import { useLatest } from '../../../lib/use-stable.ts'
import type { ShownAnswer, ShownMessage } from '../message/shown-messages.ts'

type Hit = { readonly messageId: string; readonly count: number }

/** The answers in the place of the last message; null outside of a comparison. */
export type Compared = readonly ShownAnswer[] | null

/** One result: the nth of its message, counted from 0. */
export type HitPlace = { readonly messageId: string; readonly nth: number }

type Hits = {
  readonly hits: readonly Hit[]
  /** The server is still searching messages that this browser has not loaded. */
  readonly isLooking: boolean
  /** Why messages that this browser has not loaded were not searched. */
  readonly failed: string | null
}

/** Chosen: longer than between two keys of a typing user. */
const pauseMs = 150
/** Chosen: the server admits searches again after a few seconds. */
const retryMs = 2000

type ServerHits = { readonly query: string; readonly hits: readonly Hit[]; readonly isComplete: boolean; readonly failed: string | null }

export function useHits(threadId: string, query: string, shownMessages: readonly ShownMessage[], compared: Compared): Hits {
  const here = hitsIn(shownMessages, compared, query)
  const above = useHitsAbove(threadId, query, shownMessages[0]?.parentId ?? null)
  const loaded = new Set(shownMessages.map(({ id }) => id))
  const hits = [...above.hits.filter(({ messageId }) => !loaded.has(messageId)), ...here]
  return { hits, isLooking: !above.isComplete, failed: above.failed }
}

/** Cached per message, because each key press searches all messages again. */
const shownTexts = new WeakMap<ChatMessage, string>()

function textShownBy(message: ChatMessage): string {
  const cached = shownTexts.get(message)
  if (cached !== undefined) return cached
  const text = shownText(message)
  shownTexts.set(message, text)
  return text
}

/** The results in the loaded messages. A streaming answer is searched when it is stored. Compared answers count as one message, as they are rendered. */
export const hitsIn = (shownMessages: readonly ShownMessage[], compared: Compared, query: string): readonly Hit[] => {
  const last = shownMessages.at(-1)
  const countIn = (shown: ShownMessage) => (shown.kind === 'live' ? 0 : occurrencesOf(query, textShownBy(shown.message)).length)
  return shownMessages.flatMap((shown) => {
    const messages = compared && shown === last ? compared : [shown]
    const count = messages.reduce((sum, each) => sum + countIn(each), 0)
    return count > 0 ? [{ messageId: shown.id, count }] : []
  })
}

const nothing = { hits: [], isComplete: true, failed: null } as const

/** Asks the server once per query, starting above the oldest loaded message. */
function useHitsAbove(threadId: string, query: string, parentId: string | null): Omit<ServerHits, 'query'> {
  const [answer, setAnswer] = useState<ServerHits | null>(null)
  const firstParentId = useLatest(parentId)
  const isWanted = query.trim() !== '' && (parentId !== null || answer?.query === query)
  useEffect(() => {
    if (!isWanted) return undefined
    const request = new AbortController()
    const timer = setTimeout(() => void searchUp(firstParentId.current), pauseMs)
    async function searchUp(from: string | null): Promise<void> {
      let hits: readonly Hit[] = []
      for (let next = from; next !== null; ) {
        const slice = await findInThread({ threadId, messageId: next, query }, request.signal)
        if (slice === null) return
        if ('failed' in slice && slice.code === 'rate_limited') {
          await sleep(retryMs, request.signal)
          continue
        }
        if ('failed' in slice) return setAnswer({ query, hits, isComplete: true, failed: slice.failed })
        hits = [...slice.found.toReversed(), ...hits]
        next = slice.next
        setAnswer({ query, hits, isComplete: next === null, failed: null })
      }
    }
    return () => {
      clearTimeout(timer)
      request.abort()
    }
  }, [threadId, query, isWanted, firstParentId])
  if (!isWanted) return nothing
  return answer?.query === query ? answer : { ...nothing, isComplete: false }
}

export const countOf = (hits: readonly Hit[]): number => hits.reduce((sum, { count }) => sum + count, 0)

/** The position of a result among all, from 0. -1 if the message has no longer so many. */
export function positionOf(hits: readonly Hit[], place: HitPlace | null): number {
  const index = hits.findIndex(({ messageId }) => messageId === place?.messageId)
  const hit = hits[index]
  return place && hit && place.nth < hit.count ? countOf(hits.slice(0, index)) + place.nth : -1
}

export function placeAt(hits: readonly Hit[], position: number): HitPlace | null {
  let left = position
  for (const { messageId, count } of hits) {
    if (left < count) return { messageId, nth: left }
    left -= count
  }
  return null
}
