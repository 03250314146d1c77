/** The lists of organised threads: pinned, archived and in projects. */
import { useQuery } from '@rocicorp/zero/react'
import { useMemo } from 'react'
import { queryTtlMs } from '../../worker/contract/limits.ts'
import { queries } from '../../worker/contract/queries.ts'
import { useFirstRows } from './first-rows.ts'
import { useThreadList } from './hooks.ts'
import type { ProjectRow, ThreadRow } from './rows.ts'

const options = { ttl: queryTtlMs }

export type SidebarThreads = {
  /** Newest pin first. */
  readonly pinned: readonly ThreadRow[]
  /** Newest first, without the pinned ones. */
  readonly others: readonly ThreadRow[]
  readonly isComplete: boolean
  readonly hasMore: boolean
}

export function useSidebarThreads(limit: number): SidebarThreads {
  const { threads, ...state } = useThreadList(limit)
  const [local] = useQuery(queries.threads.pinned(), options)
  const served = useFirstRows() !== null
  const { isComplete, hasMore } = state
  return useMemo(() => {
    const ofList = threads.filter(({ pinnedAt }) => pinnedAt != null)
    const pinned = served && local.length === 0 ? ofList.toSorted((a, b) => (b.pinnedAt ?? 0) - (a.pinnedAt ?? 0)) : local
    const ids = new Set(pinned.map(({ id }) => id))
    return { pinned, others: threads.filter(({ id }) => !ids.has(id)), isComplete, hasMore }
  }, [threads, local, served, isComplete, hasMore])
}

type Window = { readonly threads: readonly ThreadRow[]; readonly isComplete: boolean; readonly hasMore: boolean }

export function useArchivedThreads(limit: number): Window {
  const [threads, { type }] = useQuery(queries.threads.archived({ limit }), options)
  return { threads, isComplete: type === 'complete', hasMore: threads.length >= limit }
}

export function useProjectThreads(projectId: string, limit: number): Window {
  const [threads, { type }] = useQuery(queries.threads.ofProject({ projectId, limit }), options)
  return { threads, isComplete: type === 'complete', hasMore: threads.length >= limit }
}

/** By name. */
export function useProjects(): { readonly projects: readonly ProjectRow[]; readonly isComplete: boolean } {
  const [projects, { type }] = useQuery(queries.projects.all(), options)
  return { projects, isComplete: type === 'complete' }
}

/** Undefined for no project, and for one that is deleted or has not arrived. */
export function useProject(projectId: string | null | undefined): ProjectRow | undefined {
  return useProjects().projects.find(({ id }) => id === projectId)
}
