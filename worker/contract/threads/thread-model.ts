/** The model with which a thread continues, derived from its messages (rule T7 in `worker/turns/SPEC.md`). Pure. */
import { type ModelAccess, modelRefusal, type Plan } from '../access.ts'
import { isSelectable } from '../models/model-choice.ts'
import { pathTo } from './branches.ts'
import type { ChatMessage } from './messages.ts'

type Row = { readonly id: string; readonly parentId?: string | null | undefined; readonly message: ChatMessage }
/** `messages`: at least the end of the shown branch. */
type Thread = { readonly headId?: string | null | undefined; readonly messages: readonly Row[] }

/** An answer whose model the thread keeps. */
export type KeptAnswer = { readonly id: string; readonly modelId: string }

/** The last answer of the shown branch that counts. Undefined if none of the loaded ones does. */
export function keptAnswer({ messages, headId }: Thread): KeptAnswer | undefined {
  const kept: KeptAnswer[] = []
  let isForOnce: boolean | undefined
  for (const { id, message } of pathTo(messages, headId)) {
    if (message.role === 'user') isForOnce = message.isModelForOnce
    else {
      // The metadata of a damaged message may be missing.
      const { imported, modelId } = (message.metadata ?? {}) as Partial<typeof message.metadata>
      if (!isForOnce && !imported && modelId !== undefined) kept.push({ id, modelId })
    }
  }
  return kept.at(-1)
}

/**
 * False if the plan does not include the model, or if the model is not offered any more: the user's model answers instead. A provider that cannot
 * be reached now does not count, because the text must not go to another one.
 */
export const mayKeep = (model: ModelAccess, plan: Plan): boolean =>
  isSelectable(model) && modelRefusal(plan, { ...model, unavailable: null }) === null
