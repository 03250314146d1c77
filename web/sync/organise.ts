/** The threads of the sidebar with the pinned ones, and the projects. */
import { useQuery } from '@rocicorp/zero/react'
import { useMemo } from 'react'
import type { SidebarProject } from '../../worker/contract/first-page.ts'
import { idSchema } from '../../worker/contract/ids.ts'
import { queries } from '../../worker/contract/queries.ts'
import { sidebarOrder } from '../../worker/contract/threads/thread-groups.ts'
import { useFirstRows } from './first-rows.ts'
import { type ThreadWindow, useThreadList } from './hooks.ts'
import { newerOfEach } from './merge-rows.ts'
import { options } from './query-options.ts'
import type { ProjectRow } from './rows.ts'

/** The threads of the sidebar in its order: pinned ones, then the newest. */
export function useSidebarThreads(limit: number): ThreadWindow {
  const { threads, ...state } = useThreadList(limit)
  const [pinned] = useQuery(queries.threads.pinned(), options)
  return { ...state, threads: useMemo(() => sidebarOrder(threads, pinned), [threads, pinned]) }
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

/** The projects that the sidebar lists, and those of the threads in it. */
export function useSidebarProjects(): readonly SidebarProject[] {
  const { projects } = useProjects()
  const served = useFirstRows()?.projects
  return useMemo(() => (served ? newerOfEach<SidebarProject>(projects, served) : projects), [projects, served])
}

/** The project of a thread that the sidebar need not list. */
export function useProjectIdOf(id: string | undefined): string | null | undefined {
  // The address may contain anything; an invalid id is not queried.
  const threadId = idSchema.safeParse(id).data
  const [thread] = useQuery(threadId !== undefined && queries.threads.one({ threadId }), options)
  const served = useFirstRows()?.thread
  return (thread ?? (served?.id === id ? served : undefined))?.projectId
}
