/** What only an open thread reads. Not in `thread.ts`, which belongs to the first load. */
import { useQuery, useZero } from '@rocicorp/zero/react'
import { useEffect, useState } from 'react'
import type { ThreadProject } from '../../worker/contract/first-page.ts'
import { queries } from '../../worker/contract/queries.ts'
import { useFirstRows } from './first-rows.ts'
import { useProject } from './organise.ts'
import { options } from './query-options.ts'
import type { ThreadRow } from './rows.ts'

/** The user agents of the other browsers that have the thread open. Other tabs of this browser are not counted. */
export function useOpenElsewhere(threadId: string): readonly string[] {
  const zero = useZero()
  const [rows] = useQuery(queries.presence.ofThread({ threadId }), options)
  const [ownGroup, setOwnGroup] = useState<string | null>(null)
  useEffect(() => {
    let isCurrent = true
    void zero.clientGroupID.then((groupId) => isCurrent && setOwnGroup(groupId))
    return () => {
      isCurrent = false
    }
  }, [zero])
  return ownGroup === null ? [] : rows.filter(({ groupId }) => groupId !== ownGroup).map(({ userAgent }) => userAgent)
}

/** The project of a thread: until the projects have arrived, as the page was served with it. */
export function useThreadProject(thread: ThreadRow | undefined): ThreadProject | undefined {
  const project = useProject(thread?.projectId)
  const served = useFirstRows()?.thread?.project
  return project ?? (served && served.id === thread?.projectId ? served : undefined)
}
