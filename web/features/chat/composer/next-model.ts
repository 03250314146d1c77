/** The model of the next message of a thread (rule T7 in `worker/turns/SPEC.md`). */
import { type KeptAnswer, keptAnswer, mayKeep } from '../../../../worker/contract/threads/thread-model.ts'
import { isBusy } from '../../../../worker/contract/threads/thread-status.ts'
import { useOpenProjectId } from '../../../lib/navigation.ts'
import { useStored } from '../../../lib/store.ts'
import { useMe, useModels } from '../../../sync/hooks.ts'
import { useProject } from '../../../sync/organise.ts'
import type { Me, ModelRow, ThreadWithMessages } from '../../../sync/rows.ts'
import type { MessageChoices, PickedModel } from './draft.ts'
import { draftOf } from './drafts.ts'

export type NextModel = {
  /** With the model of the thread. */
  readonly me: Me | undefined
  /** The answer that is being written, else the last answer of the thread that counts. */
  readonly answerId: string | null
  /** The model for the next message only. */
  readonly override: ModelRow | undefined
  /** The thread starts with the model of its project. A choice then changes no setting. */
  readonly hasProjectModel: boolean
  /** A chosen model has not arrived yet. */
  readonly isMissing: boolean
}

type ModelChoices = Pick<MessageChoices, 'modelId' | 'picked'>

/** A function of the choices of the draft. Without a thread, for a new one on the open page. */
export function useModelFor(thread: ThreadWithMessages | undefined): (choices: ModelChoices) => NextModel {
  const me = useMe()
  const catalogue = useModels()
  const project = useProject(useOpenProjectId())
  const projectModelId = (!thread && project?.modelId) || null
  return (choices) => nextModelOf(thread, choices, me, catalogue, projectModelId)
}

export function useNextModel(thread: ThreadWithMessages | undefined, draftKey: string): NextModel {
  const modelFor = useModelFor(thread)
  return modelFor(useStored(draftOf(draftKey), ({ choices }) => choices))
}

/** The user, with the model that answers the next message. */
export const askerOf = ({ me, override }: NextModel): Me | undefined => (me && override ? { ...me, model: override } : me)

function nextModelOf(
  thread: ThreadWithMessages | undefined,
  { modelId, picked }: ModelChoices,
  me: Me | undefined,
  { models, isComplete }: ReturnType<typeof useModels>,
  projectModelId: string | null,
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
    hasProjectModel: me !== undefined && ofProject !== undefined && mayKeep(ofProject, me.plan),
    isMissing: !isComplete && ((keptId !== null && !kept) || (modelId !== null && !override)),
  }
}

/** Null once another answer than the one of that time has been written, which `answerId` or `last` is. */
export const pickedModelId = (picked: PickedModel | null, answerId: string | null, last: KeptAnswer | undefined): string | null =>
  picked && (!last || picked.answerId === answerId || picked.answerId === last.id) ? picked.modelId : null
