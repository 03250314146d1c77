/**
 * The streaming answers, outside of React: one connection per answer while a component is mounted, for any number of components. The chunks
 * stay for a while after the last unmount, so that the next mount shows them at once and resumes.
 */

import { useEffect } from 'react'
import { applyChunk } from '../../../../worker/contract/threads/message-stream.ts'
import type { AnswerMetadata, MessagePart } from '../../../../worker/contract/threads/messages.ts'
import { cachedToken } from '../../../lib/browser-session.ts'
import { createId } from '../../../lib/create-id.ts'
import { publicUrls } from '../../../lib/public-urls.ts'
import { sleep } from '../../../lib/sleep.ts'
import { createStore, type Store, useStore } from '../../../lib/store.ts'
import { followAnswer } from './stream-reader.ts'

type LiveAnswer = {
  readonly parts: readonly MessagePart[]
  readonly metadata: Partial<AnswerMetadata>
  /** All chunks were read; the stored answer arrives soon. */
  readonly isEnded: boolean
}

const nothingYet: LiveAnswer = { parts: [], metadata: {}, isEnded: false }

type Entry = {
  readonly store: Store<LiveAnswer>
  readonly sinceMs: number
  /** The newest state, at most one frame ahead of the store. */
  newest: LiveAnswer
  after: number
  watchers: number
  connection: AbortController | null
}

/** Chosen: entries kept after their last unmount, the oldest are deleted first. */
const maxKept = 8
/** The server ends an earlier stream of the same page when the page reconnects. */
const readerId = createId()
const entries = new Map<string, Entry>()

type LiveSource = { readonly threadId: string; readonly generationId: string }

/** Epoch ms, by this device, at which the page began to wait. */
export const liveSinceMs = (generationId: string): number => entryOf(generationId).sinceMs

/** Reads until the returned function is called. */
function watchLiveAnswer(source: LiveSource): () => void {
  const entry = entryOf(source.generationId)
  entry.watchers += 1
  entry.connection ??= connect(source, entry)
  return () => {
    entry.watchers -= 1
    if (entry.watchers > 0) return
    entry.connection?.abort()
    entry.connection = null
    for (const [id, { watchers }] of entries) if (entries.size > maxKept && watchers === 0) entries.delete(id)
  }
}

function entryOf(generationId: string): Entry {
  const cached = entries.get(generationId)
  if (cached) return cached
  const entry: Entry = { store: createStore(nothingYet), sinceMs: Date.now(), newest: nothingYet, after: 0, watchers: 0, connection: null }
  entries.set(generationId, entry)
  return entry
}

function connect({ threadId, generationId }: LiveSource, entry: Entry): AbortController {
  const connection = new AbortController()
  const { signal } = connection
  const url = `${publicUrls().apiUrl}/api/thread/${threadId}/stream?generation=${encodeURIComponent(generationId)}&reader=${readerId}`
  const publish = atNextFrame(() => entry.store.set(entry.newest))
  const read = async () => {
    const result = await followAnswer(
      { url, after: entry.after },
      {
        signal,
        onRestart: () => {
          entry.after = 0
          entry.newest = nothingYet
        },
        onChunk: (id, chunk) => {
          const { parts, metadata } = entry.newest
          entry.after = id
          entry.newest = {
            parts: applyChunk(parts, chunk),
            metadata: chunk.type === 'start' ? { ...metadata, ...chunk.messageMetadata } : metadata,
            isEnded: false,
          }
          publish()
        },
      },
      { fetch: globalThis.fetch.bind(globalThis), sleep, token: cachedToken },
    )
    // A later mount connects again, for example as the account that this browser has signed in to.
    if (result === 'session-ended' && entry.connection === connection) entry.connection = null
    if (result !== 'ended') return
    entry.newest = { ...entry.newest, isEnded: true }
    publish()
  }
  void read()
  return connection
}

const idle = createStore<LiveAnswer>(nothingYet)

/** Subscribes to the streaming answer with this id while mounted. Null subscribes to nothing. */
export function useLiveAnswer(threadId: string, generationId: string | null): LiveAnswer {
  useEffect(() => (generationId === null ? undefined : watchLiveAnswer({ threadId, generationId })), [threadId, generationId])
  return useStore(generationId === null ? idle : entryOf(generationId).store)
}

/** Calls `run` once in the next frame, for any number of requests. A hidden page has no frames and uses a timer. */
function atNextFrame(run: () => void): () => void {
  let isWaiting = false
  return () => {
    if (isWaiting) return
    isWaiting = true
    const go = () => {
      isWaiting = false
      run()
    }
    if (document.hidden) setTimeout(go, hiddenPauseMs)
    else requestAnimationFrame(go)
  }
}

const hiddenPauseMs = 250
