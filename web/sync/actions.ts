/**
 * What features do. Each action changes the rows on screen at once (`client`) and settles when the server has decided
 * (`server`); either may refuse, with a sentence for the person. Neither promise ever rejects.
 */
import type { MutatorResult } from '@rocicorp/zero'
import { useZero } from '@rocicorp/zero/react'
import { useMemo } from 'react'
import type { Effort } from '../../worker/contract/effort.ts'
import type { Refusal } from '../../worker/contract/errors.ts'
import { type AnswerArgs, mutators, type SendArgs, type SettingArgs } from '../../worker/contract/mutators.ts'
import type { QueueAddArgs } from '../../worker/contract/queue-mutators.ts'
import { outcomeFrom } from './outcome.ts'

export type Outcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly refusal: Refusal | { readonly code: 'offline'; readonly message: string } }

export type Action = { readonly client: Promise<Outcome>; readonly server: Promise<Outcome> }

export type Actions = {
  readonly send: (args: Omit<SendArgs, 'at'>) => Action
  readonly answer: (args: Omit<AnswerArgs, 'at'>) => Action
  readonly stop: (threadId: string) => Action
  readonly rename: (threadId: string, title: string) => Action
  readonly remove: (threadId: string) => Action
  readonly restore: (threadId: string) => Action
  readonly setEffort: (threadId: string, modelId: string, effort: Effort) => Action
  /** Shows the branch of this message. */
  readonly show: (threadId: string, messageId: string) => Action
  /** Copies the path to this message into a thread of its own. */
  readonly fork: (threadId: string, messageId: string, newThreadId: string) => Action
  readonly removeMessage: (threadId: string, messageId: string) => Action
  readonly restoreMessage: (threadId: string, messageId: string) => Action
  readonly queue: (args: Omit<QueueAddArgs, 'at'>) => Action
  readonly editQueued: (id: string, text: string) => Action
  readonly removeQueued: (id: string) => Action
  readonly sendQueued: (id: string) => Action
  readonly updateSettings: (changes: SettingArgs) => Action
}

export function useActions(): Actions {
  const zero = useZero()
  return useMemo(
    () => ({
      send: (args) => actionOf(zero.mutate(mutators.threads.send({ ...args, at: Date.now() }))),
      answer: (args) => actionOf(zero.mutate(mutators.threads.answer({ ...args, at: Date.now() }))),
      stop: (threadId) => actionOf(zero.mutate(mutators.threads.stop({ threadId }))),
      rename: (threadId, title) => actionOf(zero.mutate(mutators.threads.rename({ threadId, title }))),
      remove: (threadId) => actionOf(zero.mutate(mutators.threads.delete({ threadId, at: Date.now() }))),
      restore: (threadId) => actionOf(zero.mutate(mutators.threads.restore({ threadId }))),
      setEffort: (threadId, modelId, effort) => actionOf(zero.mutate(mutators.threads.setEffort({ threadId, modelId, effort }))),
      show: (threadId, messageId) => actionOf(zero.mutate(mutators.threads.show({ threadId, messageId }))),
      fork: (threadId, messageId, newThreadId) =>
        actionOf(zero.mutate(mutators.threads.fork({ threadId, messageId, newThreadId, at: Date.now() }))),
      removeMessage: (threadId, messageId) => actionOf(zero.mutate(mutators.messages.delete({ threadId, messageId, at: Date.now() }))),
      restoreMessage: (threadId, messageId) => actionOf(zero.mutate(mutators.messages.restore({ threadId, messageId }))),
      queue: (args) => actionOf(zero.mutate(mutators.queue.add({ ...args, at: Date.now() }))),
      editQueued: (id, text) => actionOf(zero.mutate(mutators.queue.edit({ id, text }))),
      removeQueued: (id) => actionOf(zero.mutate(mutators.queue.remove({ id }))),
      sendQueued: (id) => actionOf(zero.mutate(mutators.queue.send({ id, at: Date.now() }))),
      updateSettings: (changes) => actionOf(zero.mutate(mutators.settings.update(changes))),
    }),
    [zero],
  )
}

const actionOf = ({ client, server }: MutatorResult): Action => ({ client: client.then(outcomeFrom), server: server.then(outcomeFrom) })

/** The first refusal, of the browser's rules or of the server's; they are told once. */
export async function settled({ client, server }: Action): Promise<Outcome> {
  const early = await client
  return early.ok ? server : early
}
