/** Switches the next message to a model that reads its files, and back. Pure. */
import { creditsFor } from '../../../../worker/contract/access.ts'
import { type AttachedFile, fileRefusal } from '../../../../worker/contract/files/files.ts'
import { usableModels } from '../../../../worker/contract/models/model-choice.ts'
import type { TurnMode } from '../../../../worker/contract/models/modes.ts'
import type { Me, ModelRow } from '../../../sync/rows.ts'
import { modelProblem } from '../models/catalogue.ts'
import type { MessageChoices } from './draft.ts'

type File = Pick<AttachedFile, 'mediaType'>

type Switch = {
  readonly choices: MessageChoices
  /** Attached, or uploading. */
  readonly files: readonly File[]
  readonly mode: TurnMode
  /** With the model of the next message. */
  readonly me: Me
  /** The model without the switch; undefined if no model was switched. */
  readonly former: ModelRow | undefined
  /** Several models answer. The user has chosen them together, so none is replaced. */
  readonly isCompared: boolean
  readonly models: readonly ModelRow[]
  /** The last answer of the thread that counts. */
  readonly answerId: string | null
  readonly nowMs: number
}

/** The choices that have to change. Null: none. */
export function switchOf({ choices, files, me, former, isCompared, answerId, ...rest }: Switch): Partial<MessageChoices> | null {
  const { switchedFrom, keepsModel, modelId, picked } = choices
  if (switchedFrom && former && !fileRefusal(former, files)) return { ...switchedFrom, switchedFrom: null }
  const isUnread = fileRefusal(me.model, files) !== null
  if (keepsModel) return isUnread ? null : { keepsModel: false }
  const reader = isUnread && !isCompared ? readerOf({ files, me, former, ...rest }) : undefined
  if (!reader) return null
  const before = switchedFrom ?? { modelId, picked }
  return {
    ...(before.modelId === null ? { picked: { modelId: reader.id, answerId } } : { modelId: reader.id }),
    switchedFrom: before,
  }
}

/** The model that can be used for these files: of the same price if possible, then cheaper, then with the most abilities. */
function readerOf({ files, mode, me, former = me.model, models, nowMs }: Omit<Switch, 'choices' | 'isCompared' | 'answerId'>) {
  const credits = creditsFor(former ?? {})
  const priceClass = (model: ModelRow) => {
    const more = creditsFor(model) - credits
    return more > 0 ? 1000 + more : -more
  }
  const abilities = ({ capabilities }: ModelRow) => capabilities?.length ?? 0
  return usableModels(models, me.plan)
    .filter((model) => !fileRefusal(model, files) && !modelProblem(model, me, nowMs))
    .filter(({ capabilities }) => mode === 'chat' || capabilities?.includes('tools'))
    .toSorted((a, b) => priceClass(a) - priceClass(b) || abilities(b) - abilities(a))[0]
}
