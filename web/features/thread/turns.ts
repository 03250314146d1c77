/** What the conversation shows: the messages on the path, and behind them the answer being written. */
import type { AnswerMessage, UserMessage } from '../../../worker/contract/messages.ts'
import type { MessageRow, ThreadWithMessages } from '../../sync/rows.ts'
import { pathTo } from './path.ts'

export type Turn =
  | { readonly kind: 'user'; readonly id: string; readonly parentId: string | null; readonly message: UserMessage }
  | { readonly kind: 'answer'; readonly id: string; readonly parentId: string | null; readonly message: AnswerMessage }
  /** Its id is that of the answer to come, so that the stored answer takes its place without anything being taken down. */
  | { readonly kind: 'live'; readonly id: string; readonly parentId: string | null; readonly isStopping: boolean }

export const isBusy = ({ status }: Pick<ThreadWithMessages, 'status'>): boolean => (status ?? 'ready') !== 'ready'

export function turnsOf(thread: ThreadWithMessages): readonly Turn[] {
  const path = pathTo(thread.messages, thread.headId)
  const turns = path.map(turnOf)
  const { streamId } = thread
  if (!isBusy(thread) || !streamId || path.some(({ id }) => id === streamId)) return turns
  // The answer and the thread's new state come together; should the answer be first, it is shown.
  const stored = thread.messages.find(({ id }) => id === streamId)
  if (stored) return [...turns, turnOf(stored)]
  return [...turns, { kind: 'live', id: streamId, parentId: thread.headId ?? null, isStopping: thread.status === 'stopping' }]
}

const turnOf = ({ id, parentId = null, message }: MessageRow): Turn =>
  message.role === 'user' ? { kind: 'user', id, parentId, message } : { kind: 'answer', id, parentId, message }
