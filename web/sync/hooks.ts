/**
 * Read operations for features. Each hook returns local rows and subscribes to them; before they exist, it returns the rows inlined into
 * the page. `isComplete`: the server has confirmed that there are no further rows.
 */
import { useConnectionState, useQuery, useZero } from '@rocicorp/zero/react'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { creditState, dayMs, dayOf, planOf } from '../../worker/contract/access.ts'
import { chosenModel } from '../../worker/contract/models/model-choice.ts'
import { proUntilMs } from '../../worker/contract/organizations/subscription.ts'
import { preloadedMessages } from '../../worker/contract/preload-limits.ts'
import { queries } from '../../worker/contract/queries.ts'
import { useMomentsPassed } from '../lib/moments.ts'
import { inlinedPage } from '../lib/page-settings.ts'
import { serverNowMs, useServerNow } from '../lib/server-clock.ts'
import { useFirstRows, useFirstRowsEnd } from './first-rows.ts'
import { useIsOffline } from './is-offline.ts'
import { knownModels, mergeMe, mergeThreads, sharedSubscriptions } from './merge-rows.ts'
import { options } from './query-options.ts'
import type { DraftRow, Me, ModelRow, ThreadRow } from './rows.ts'

/** Undefined until the user row has arrived. */
export function useMe(): Me | undefined {
  // The React Compiler drops the dependencies that a memo does not read, and the time is one of them.
  'use no memo'
  const [local] = useQuery(queries.me(), options)
  const [memberships] = useQuery(queries.organizations.mine(), options)
  const [models] = useQuery(queries.models.all(), options)
  const served = useFirstRows()
  const isFromD1 = inlinedPage?.isFromD1 ?? false
  const row = useMemo(() => mergeMe(local, served, isFromD1), [local, served, isFromD1])
  const shared = useMemo(() => sharedSubscriptions(memberships, served, isFromD1), [memberships, served, isFromD1])
  const day = dayOf(useServerNow())
  const paid = [row?.customer?.subscription, ...shared].flatMap((subscription) => subscription ?? [])
  const passed = useMomentsPassed([(day + 1) * dayMs, ...paid.map(proUntilMs)])
  // biome-ignore lint/correctness/useExhaustiveDependencies(day): usage resets every day
  // biome-ignore lint/correctness/useExhaustiveDependencies(passed): a subscription ends at a point in time
  return useMemo(() => {
    if (!row) return undefined
    const { setting, usage, customer, ...user } = row
    const nowMs = serverNowMs()
    const plan = planOf({ isAnonymous: user.isAnonymous, subscription: customer?.subscription, shared }, nowMs)
    const model = chosenModel(knownModels(models, served?.model, setting?.model), setting?.modelId, plan)
    return { user, setting, usage, customer, model, plan, credits: creditState(plan, usage, nowMs), isServed: !local }
  }, [row, shared, models, local, served, day, passed])
}

/** The catalogue, ordered by maker. */
export function useModels(): { readonly models: readonly ModelRow[]; readonly isComplete: boolean } {
  const [models, { type }] = useQuery(queries.models.all(), options)
  return { models, isComplete: type === 'complete' }
}

export type ThreadWindow = { readonly threads: readonly ThreadRow[]; readonly isComplete: boolean; readonly hasMore: boolean }

/** The user's newest threads; `hasMore`: a larger window would return more. */
export function useThreadList(limit: number): ThreadWindow {
  const [local, { type }] = useQuery(queries.threads.list({ limit }), options)
  const served = useFirstRows()?.threads
  const threads = useMemo(() => (served ? mergeThreads(local, served, limit) : local), [local, served, limit])
  return { threads, isComplete: type === 'complete', hasMore: threads.length >= limit }
}

/** `threadId`: null for the next new thread. Undefined without a draft, or before its row has arrived. */
export const useServerDraft = (threadId: string | null): DraftRow | undefined => useQuery(queries.drafts.one({ threadId }), options)[0]

/**
 * Keeps subscriptions for the first screens: the user, the catalogue, and, once the first screen is drawn, the newest threads with their newest
 * messages.
 */
export function usePreload(isDrawn: boolean): void {
  const zero = useZero()
  const [recent = []] = useQuery(isDrawn && queries.threads.recent(), options)
  const recentIds = recent.map(({ id }) => id).join(' ')
  useFirstRowsEnd()
  useEffect(() => {
    const subscriptions = [
      zero.preload(queries.me(), options),
      zero.preload(queries.models.all(), options),
      zero.preload(queries.organizations.mine(), options),
    ]
    return () => {
      for (const { cleanup } of subscriptions) cleanup()
    }
  }, [zero])
  useEffect(() => {
    if (recentIds === '') return undefined
    const subscriptions = recentIds
      .split(' ')
      .map((threadId) => zero.preload(queries.messages.newest({ threadId, limit: preloadedMessages }), options))
    return () => {
      for (const { cleanup } of subscriptions) cleanup()
    }
  }, [zero, recentIds])
}

type ConnectionStatus = 'connected' | 'connecting' | 'offline' | 'error'

/** Chosen: a longer reconnect is shown to the user. */
const patienceMs = 3000

/** `connecting` is short and not shown; a longer one is `offline`. Writes wait in both and are sent later. */
export function useConnection(): { readonly status: ConnectionStatus; readonly reason?: string } {
  const state = useConnectionState()
  const isOffline = useIsOffline()
  const isConnecting = state.name === 'connecting' || state.name === 'disconnected'
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    if (!isConnecting) return undefined
    const timer = setTimeout(() => setLate(true), patienceMs)
    return () => {
      clearTimeout(timer)
      setLate(false)
    }
  }, [isConnecting])

  switch (state.name) {
    case 'connected':
      return { status: isOffline ? 'offline' : 'connected' }
    case 'error':
      return { status: 'error', reason: state.reason }
    case 'connecting':
    case 'disconnected':
      return { status: isLate || isOffline ? 'offline' : 'connecting' }
    case 'needs-auth':
    case 'closed':
      return { status: 'connecting' }
  }
}

/** Reconnects after the connection has stopped with an error. */
export function useReconnect(): () => void {
  const zero = useZero()
  return useCallback(() => void zero.connection.connect(), [zero])
}
