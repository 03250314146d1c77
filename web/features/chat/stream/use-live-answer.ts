import { useEffect, useMemo } from 'react'
import { createStore, useStore } from '../../../lib/store.ts'
import { type LiveAnswer, type LiveSource, liveAnswer, nothingYet, watchLiveAnswer } from './live-answers.ts'

const idle = createStore<LiveAnswer>(nothingYet)

/** Subscribes to the streaming answer with this id while mounted. Null subscribes to nothing. */
export function useLiveAnswer(threadId: string, generationId: string | null): LiveAnswer {
  const source = useMemo<LiveSource | null>(() => (generationId === null ? null : { threadId, generationId }), [threadId, generationId])
  useEffect(() => (source ? watchLiveAnswer(source) : undefined), [source])
  return useStore(source ? liveAnswer(source) : idle)
}
