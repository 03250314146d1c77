/** The model of the next message of a thread (rule T7 in `worker/turns/SPEC.md`). */
import { type KeptAnswer, keptAnswer, mayKeep } from '../../../../worker/contract/threads/thread-model.ts'
import { isBusy } from '../../../../worker/contract/threads/thread-status.ts'
import { useStored } from '../../../lib/store.ts'
import { useMe, useModels } from '../../../sync/hooks.ts'
import type { Me, ModelRow, ThreadWithMessages } from '../../../sync/rows.ts'
import type { MessageChoices, PickedModel } from './draft.ts'
import { draftOf } from './drafts.ts'

type NextModel = {
  /** With the model of the thread. */
  readonly me: Me | undefined
  /** The answer that is being written, else the last answer of the thread that counts. */
  readonly answerId: string | null
  /** The model for the next message only. */
  readonly override: ModelRow | undefined
  /** The model of the project in which a thread starts. Null for one that the user may not use. */
  readonly projectModelId: string | null
  /** A chosen model has not arrived yet. */
  readonly isMissing: boolean
}

/** `projectModelId`: for a new thread. */
export const useNextModel = (thread: ThreadWithMessages | undefined, draftKey: string, projectModelId: string | null = null): NextModel =>
  nextModelOf(
    thread,
    useStored(draftOf(draftKey), ({ choices }) => choices),
    useMe(),
    useModels(),
    projectModelId,
  )

export function nextModelOf(
  thread: ThreadWithMessages | undefined,
  { modelId, picked }: Pick<MessageChoices, 'modelId' | 'picked'>,
  me: Me | undefined,
  { models, isComplete }: ReturnType<typeof useModels>,
  projectModelId: string | null = null,
): NextModel {
  const last = thread && keptAnswer(thread)
  const answerId = (thread && isBusy(thread) && thread.streamId) || last?.id || null
  const pickedId = pickedModelId(picked, answerId, last)
  const keptId = pickedId ?? last?.modelId ?? projectModelId
  const find = (wantedId: string | null) => models.find(({ id }) => id === wantedId)
  const kept = find(keptId) ?? (thread?.model?.id === keptId ? thread?.model : null)
  const model = me && kept && (pickedId !== null || mayKeep(kept, me.plan)) ? kept : me?.model
  const override = find(modelId)
  const ofProject = find(projectModelId)
  return {
    me: me && { ...me, model },
    answerId,
    override: override?.id === model?.id ? undefined : override,
    projectModelId: me && ofProject && mayKeep(ofProject, me.plan) ? projectModelId : null,
    isMissing: !isComplete && ((keptId !== null && !kept) || (modelId !== null && !override)),
  }
}

/** Null once another answer than the one of that time has been written, which `answerId` or `last` is. */
export const pickedModelId = (picked: PickedModel | null, answerId: string | null, last: KeptAnswer | undefined): string | null =>
  picked && (!last || picked.answerId === answerId || picked.answerId === last.id) ? picked.modelId : null
