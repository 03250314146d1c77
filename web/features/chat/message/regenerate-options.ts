/**
 * Chooses model and mode when an answer is regenerated or continued: the model and mode of the original answer if the user may still use
 * them, else the selected model, or no search. The label names each difference. No side effects.
 */
import { createContext, use } from 'react'
import { creditsFor, modelRefusal, modeRefusal } from '../../../../worker/contract/access.ts'
import { unseenFiles } from '../../../../worker/contract/files/unseen-files.ts'
import type { TurnMode } from '../../../../worker/contract/models/modes.ts'
import { searchesFor } from '../../../../worker/contract/models/tools.ts'
import { pathTo } from '../../../../worker/contract/threads/branches.ts'
import type { AnswerMessage } from '../../../../worker/contract/threads/messages.ts'
import { creditsText } from '../../../lib/format.ts'
import { serverNowMs, useServerNow } from '../../../lib/server-clock.ts'
import { useModels } from '../../../sync/hooks.ts'
import type { Me, MessageRow, ModelRow } from '../../../sync/rows.ts'
import { t as composerText } from '../composer/texts/en.ts'
import { unseenText } from '../composer/unseen-text.ts'
import { t } from './texts/en.ts'

export type Choice = {
  readonly models: readonly ModelRow[]
  /** `model`: of the next message. Undefined while the user is not loaded. */
  readonly me: Pick<Me, 'plan' | 'model' | 'usage'> | undefined
  /** True if this installation has web search. */
  readonly canSearch: boolean
}

export type RegenerateRequest = {
  /** True when the answer is continued: its parts stay. */
  readonly isContinued?: boolean
  /** Selected for this answer only. May be unavailable to the user; the refusal gives the reason. */
  readonly modelId?: string
}

export type RegenerateOptions = {
  readonly modelId: string
  /** Undefined while the catalogue is not loaded. */
  readonly model: ModelRow | undefined
  readonly mode: TurnMode
  /** True if the answer used search and search is no longer available. */
  readonly isSearchDropped: boolean
  readonly price: string | undefined
  /** The action with its differences, for example "Retry with Kimi K2 without search". */
  readonly named: (action: 'continue' | 'retry' | 'regenerate') => string
}

export function regenerateOptionsOf(
  { metadata, parts }: AnswerMessage,
  { models, me, canSearch }: Choice,
  how: RegenerateRequest,
  nowMs: number,
): RegenerateOptions {
  const { isContinued = false, modelId = metadata.modelId } = how
  const named = models.find(({ id }) => id === modelId)
  const mayUseNamed = how.modelId !== undefined || !me || models.length === 0 || (named && modelRefusal(me.plan, named) === null)
  const model = mayUseNamed ? named : (me.model ?? named)
  const asked = metadata.mode ?? 'chat'
  const count = asked === 'search' && isContinued ? searchesFor(parts) : 1
  const isRefused = me !== undefined && modeRefusal(asked, me.plan, model, me.usage, nowMs, count) !== null
  const isSearchDropped = asked === 'search' && (isRefused || !canSearch)
  const other = model && model.id !== metadata.modelId ? model.name : null
  return {
    modelId: model?.id ?? modelId,
    model,
    mode: isSearchDropped ? 'chat' : asked,
    isSearchDropped,
    price: model && t('fromCredits', { credits: creditsText(creditsFor(model)) }),
    named: (action) => {
      if (other === null) return t(isSearchDropped ? `${action}Without` : action)
      return t(isSearchDropped ? `${action}WithWithout` : `${action}With`, { model: other })
    },
  }
}

type RegenerateInput = Choice & { readonly messages: readonly MessageRow[] }

const noMessages: readonly MessageRow[] = []
/**
 * The current user, the models and the thread, for the actions on one answer. A context instead of props, so that an answer renders only
 * when its content changes.
 */
export const RegenerateContext = createContext<RegenerateInput>({ models: [], me: undefined, canSearch: true, messages: noMessages })

export function useRegenerateInput(me: Me | undefined, messages: readonly MessageRow[] = noMessages, canSearch: boolean): RegenerateInput {
  const { models } = useModels()
  return { models, me, canSearch, messages }
}

export const useRegenerateOptions = (message: AnswerMessage, how: RegenerateRequest = {}): RegenerateOptions =>
  regenerateOptionsOf(message, use(RegenerateContext), how, useServerNow())

/** With another model, selected at the time of the action. */
export function useRegenerateOptionsWith(message: AnswerMessage): (modelId: string) => RegenerateOptions {
  const input = use(RegenerateContext)
  return (modelId) => regenerateOptionsOf(message, input, { modelId }, serverNowMs())
}

/** Returns a note on the earlier messages and files that the given model would not receive for this answer. */
export function useUnseenNote(messageId: string | null): (model: ModelRow) => string | undefined {
  const { messages } = use(RegenerateContext)
  const path = pathTo(messages, messageId).map(({ message }) => message)
  return (model) => {
    const unseen = unseenFiles(model, path)
    return unseen ? composerText('unseenShort', { files: unseenText(unseen) }) : undefined
  }
}
