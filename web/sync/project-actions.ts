/** Write operations on projects. Separate from the other actions, because this file loads with the pages of projects. */
import { useZero } from '@rocicorp/zero/react'
import { useMemo } from 'react'
import type { AttachedFile } from '../../worker/contract/files.ts'
import { mutators } from '../../worker/contract/mutators.ts'
import type { CreateProjectArgs, UpdateProjectArgs } from '../../worker/contract/organise-mutators.ts'
import { serverNowMs } from '../lib/server-clock.ts'
import { type Action, act } from './actions.ts'

type ProjectActions = {
  readonly createProject: (project: Omit<CreateProjectArgs, 'at'>) => Action
  readonly updateProject: (project: Omit<UpdateProjectArgs, 'at'>) => Action
  readonly removeProject: (id: string) => Action
  readonly restoreProject: (id: string) => Action
  readonly addFile: (id: string, file: AttachedFile) => Action
  readonly removeFile: (id: string, fileId: string) => Action
}

export function useProjectActions(): ProjectActions {
  const zero = useZero()
  return useMemo(() => {
    const { create, update, delete: remove, restore, addFile, removeFile } = mutators.projects
    return {
      createProject: (project) => act(zero, () => zero.mutate(create({ ...project, at: serverNowMs() }))),
      updateProject: (project) => act(zero, () => zero.mutate(update({ ...project, at: serverNowMs() }))),
      removeProject: (id) => act(zero, () => zero.mutate(remove({ id, at: serverNowMs() }))),
      restoreProject: (id) => act(zero, () => zero.mutate(restore({ id, at: serverNowMs() }))),
      addFile: (id, file) => act(zero, () => zero.mutate(addFile({ id, file, at: serverNowMs() }))),
      removeFile: (id, fileId) => act(zero, () => zero.mutate(removeFile({ id, fileId, at: serverNowMs() }))),
    }
  }, [zero])
}
