/** The threads of the archive and of a project. */
import { useQuery } from '@rocicorp/zero/react'
import { queries } from '../../worker/contract/queries.ts'
import type { ThreadWindow } from './hooks.ts'
import { options } from './query-options.ts'
import type { ThreadRow } from './rows.ts'

export function useArchivedThreads(limit: number): ThreadWindow {
  return windowOf(useQuery(queries.threads.archived({ limit }), options), limit)
}

export function useProjectThreads(projectId: string, limit: number): ThreadWindow {
  return windowOf(useQuery(queries.threads.ofProject({ projectId, limit }), options), limit)
}

const windowOf = ([threads, { type }]: readonly [readonly ThreadRow[], { readonly type: string }], limit: number): ThreadWindow => ({
  threads,
  isComplete: type === 'complete',
  hasMore: threads.length >= limit,
})
