/**
 * The current user, the models and the thread, for the actions on one answer. A context instead of props, so that an answer renders only
 * when its content changes.
 */
import { createContext, use, useCallback, useMemo } from 'react'
import { pathTo } from '../../../../worker/contract/branches.ts'
import type { AnswerMessage } from '../../../../worker/contract/messages.ts'
import { unseenFiles } from '../../../../worker/contract/unseen-files.ts'
import { serverNowMs } from '../../../lib/server-clock.ts'
import { useMe, useModels } from '../../../sync/hooks.ts'
import type { MessageRow, ModelRow } from '../../../sync/rows.ts'
import { type Again, againOf, type Choice, type How } from './again.ts'

type Asking = Choice & { readonly messages: readonly MessageRow[] }

const noMessages: readonly MessageRow[] = []
export const AskerContext = createContext<Asking>({ models: [], me: undefined, canSearch: true, messages: noMessages })

export function useAsking(messages: readonly MessageRow[] = noMessages, canSearch: boolean): Asking {
  const me = useMe()
  const { models } = useModels()
  return useMemo(() => ({ models, me, canSearch, messages }), [models, me, canSearch, messages])
}

export const useAgain = (message: AnswerMessage, how: How = {}): Again => againOf(message, use(AskerContext), how, serverNowMs())

/** With another model, selected at the time of the action. */
export function useAgainBy(message: AnswerMessage): (modelId: string) => Again {
  const asking = use(AskerContext)
  return useCallback((modelId) => againOf(message, asking, { modelId }, serverNowMs()), [message, asking])
}

/** Returns a note on the earlier messages and files that the given model would not receive for this answer. */
export function useUnseenNote(messageId: string | null): (model: ModelRow) => string | undefined {
  const { messages } = use(AskerContext)
  return useMemo(() => {
    const said = pathTo(messages, messageId).map(({ message }) => message)
    return (model) => {
      const unseen = unseenFiles(model, said)
      return unseen ? `Cannot read the ${unseen.what} earlier in this thread` : undefined
    }
  }, [messages, messageId])
}
