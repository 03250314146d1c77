/**
 * The current user, the models and the thread, for the actions on one answer. A context instead of props, so that an answer renders only
 * when its content changes.
 */
import { createContext, use } from 'react'
import { unseenFiles } from '../../../../worker/contract/files/unseen-files.ts'
import { pathTo } from '../../../../worker/contract/threads/branches.ts'
import type { AnswerMessage } from '../../../../worker/contract/threads/messages.ts'
import { serverNowMs, useServerNow } from '../../../lib/server-clock.ts'
import { useMe, useModels } from '../../../sync/hooks.ts'
import type { MessageRow, ModelRow } from '../../../sync/rows.ts'
import { t as composerText } from '../composer/texts/en.ts'
import { unseenText } from '../composer/unseen-text.ts'
import { type Choice, type RegenerateOptions, type RegenerateRequest, regenerateOptionsOf } from './regenerate-options.ts'

type RegenerateInput = Choice & { readonly messages: readonly MessageRow[] }

const noMessages: readonly MessageRow[] = []
export const RegenerateContext = createContext<RegenerateInput>({ models: [], me: undefined, canSearch: true, messages: noMessages })

export function useRegenerateInput(messages: readonly MessageRow[] = noMessages, canSearch: boolean): RegenerateInput {
  const me = useMe()
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
