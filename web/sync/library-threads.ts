/** The threads of the archive and of a project. */
import { useQuery } from '@rocicorp/zero/react'
import { queryTtlMs } from '../../worker/contract/limits.ts'
import { queries } from '../../worker/contract/queries.ts'
import type { ThreadWindow } from './organise.ts'

const options = { ttl: queryTtlMs }

export function useArchivedThreads(limit: number): ThreadWindow {
  const [threads, { type }] = useQuery(queries.threads.archived({ limit }), options)
  return { threads, isComplete: type === 'complete', hasMore: threads.length >= limit }
}

export function useProjectThreads(projectId: string, limit: number): ThreadWindow {
  const [threads, { type }] = useQuery(queries.threads.ofProject({ projectId, limit }), options)
  return { threads, isComplete: type === 'complete', hasMore: threads.length >= limit }
}
