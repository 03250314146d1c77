import { useEffect, useMemo } from 'react'
import { createStore, useStore } from '../../lib/store.ts'
import { type LiveAnswer, type LiveSource, liveAnswer, nothingYet, watchLiveAnswer } from './live-answers.ts'

const idle = createStore<LiveAnswer>(nothingYet)

/** The answer being written under this id, followed while the component is on the page. Null follows nothing. */
export function useLiveAnswer(threadId: string, generationId: string | null): LiveAnswer {
  const source = useMemo<LiveSource | null>(() => (generationId === null ? null : { threadId, generationId }), [threadId, generationId])
  useEffect(() => (source ? watchLiveAnswer(source) : undefined), [source])
  return useStore(source ? liveAnswer(source) : idle)
}
