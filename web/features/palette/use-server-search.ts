/**
 * Searches messages that this browser may not have: one request at a time, after a pause in typing. The first searches of a large account answer
 * before everything is indexed, and are repeated.
 */
import { useEffect, useEffectEvent, useState } from 'react'
import { maxExcludedThreads, maxFindChars } from '../../../worker/contract/limits.ts'
import { isEmptyFilter, type SearchFilter } from '../../../worker/contract/search-filter.ts'
import type { FoundMessage, FoundMessages } from '../../../worker/contract/search-request.ts'
import { type SearchAnswer, searchMessages } from '../../lib/search-messages.ts'
import { t } from './texts/en.ts'

/** Chosen: longer than between two keys of a typing user. */
const pauseMs = 150
/** Chosen: after an incomplete answer. */
const repeatMs = 1000

type ServerSearch = {
  readonly found: readonly FoundMessage[]
  /** Why not everything was searched. */
  readonly note: string | null
  readonly isLooking: boolean
}

type SearchQuery = { readonly query: string; readonly filter: SearchFilter }
type Answered = SearchQuery & { readonly answer: SearchAnswer }

const nothing: ServerSearch = { found: [], note: null, isLooking: false }

/** `known`: threads that were searched locally. A change of it causes no new request. */
export function useServerSearch(
  words: readonly string[],
  filter: SearchFilter,
  isOffline: boolean,
  known: readonly string[],
): ServerSearch {
  const query = words.join(' ').slice(0, maxFindChars)
  const [answered, setAnswered] = useState<Answered | null>(null)
  const search = useEffectEvent((signal: AbortSignal) =>
    searchMessages({ query, filter, without: known.slice(0, maxExcludedThreads) }, signal),
  )
  useEffect(() => {
    if (isNothing({ query, filter }) || isOffline) return undefined
    const request = new AbortController()
    const ask = async () => {
      const answer = await search(request.signal)
      if (!answer || request.signal.aborted) return
      setAnswered({ query, filter, answer })
      if ('found' in answer && !answer.isComplete) timer = setTimeout(ask, repeatMs)
    }
    let timer = setTimeout(ask, pauseMs)
    return () => {
      clearTimeout(timer)
      request.abort()
    }
  }, [query, filter, isOffline])
  return serverSearchOf({ query, filter }, answered, isOffline)
}

const isNothing = ({ query, filter }: SearchQuery): boolean => query === '' && isEmptyFilter(filter)

/** A response for another request is ignored. */
export function serverSearchOf(search: SearchQuery, answered: Answered | null, isOffline: boolean): ServerSearch {
  if (isNothing(search)) return nothing
  if (isOffline) return { ...nothing, note: t('offlineNote') }
  if (answered?.query !== search.query || answered.filter !== search.filter) return { ...nothing, isLooking: true }
  const { answer } = answered
  if ('failed' in answer) return { ...nothing, note: t('failedNote', { reason: answer.failed }) }
  return { ...nothing, found: answer.found, note: noteOn(answer) }
}

function noteOn({ isComplete, isCut }: FoundMessages): string | null {
  if (!isComplete) return t('loadingNote')
  return isCut ? t('cutNote') : null
}
