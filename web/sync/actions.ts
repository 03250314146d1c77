/**
 * Write operations for features. Each action changes the rows on screen at once (`client`) and settles when the server has decided
 * (`server`); either may refuse with a sentence for the user. The promises never reject. Rows are dated by the server's clock, so that they
 * sort correctly among the server's rows.
 */
import type { MutatorResult, Zero } from '@rocicorp/zero'
import { useZero } from '@rocicorp/zero/react'
import { useMemo } from 'react'
import type { Effort } from '../../worker/contract/effort.ts'
import { type AnswerArgs, mutators, type SendArgs, type SettingArgs } from '../../worker/contract/mutators.ts'
import type { QueueAddArgs } from '../../worker/contract/queue-mutators.ts'
import type { StartResearchArgs } from '../../worker/contract/research-mutators.ts'
import type { CreateShareArgs } from '../../worker/contract/share-args.ts'
import { serverNowMs } from '../lib/server-clock.ts'
import { firstRowsEnd, forgetFirstThread, hasFirstRows } from './first-rows.ts'
import { type Outcome, outcomeFrom, serverOutcomeFrom } from './outcome.ts'
import { trackSettings } from './row-changes.ts'

export type Action = { readonly client: Promise<Outcome>; readonly server: Promise<Outcome> }

/** The message that holds a plan. */
type PlanRef = { readonly threadId: string; readonly messageId: string }

type QueuedChange = { readonly modelId: string } | { readonly mode: 'chat' }

export type Actions = {
  readonly send: (args: SendArgs) => Action
  readonly answer: (args: Omit<AnswerArgs, 'at'>) => Action
  /** `answerId`: stops this answer of a comparison alone. */
  readonly stop: (threadId: string, answerId?: string) => Action
  readonly rename: (threadId: string, title: string) => Action
  /** Like the other actions on threads, for at most `maxThreadsPerMutation` at once. */
  readonly remove: (threadIds: readonly string[]) => Action
  readonly restore: (threadIds: readonly string[]) => Action
  readonly pin: (threadIds: readonly string[], isPinned: boolean) => Action
  readonly archive: (threadIds: readonly string[], isArchived: boolean) => Action
  /** Null: out of every project. */
  readonly move: (threadIds: readonly string[], projectId: string | null) => Action
  /** Creates a public link to a branch. */
  readonly share: (link: CreateShareArgs) => Action
  readonly revokeShare: (id: string) => Action
  readonly setEffort: (threadId: string, modelId: string, effort: Effort) => Action
  /** Shows the branch of this message. */
  readonly show: (threadId: string, messageId: string) => Action
  /** Copies the path to this message into a new thread. */
  readonly fork: (threadId: string, messageId: string, newThreadId: string) => Action
  readonly removeMessage: (threadId: string, messageId: string) => Action
  readonly restoreMessage: (threadId: string, messageId: string) => Action
  readonly bookmark: (threadId: string, messageId: string, isBookmarked: boolean) => Action
  readonly queue: (args: QueueAddArgs) => Action
  readonly editQueued: (id: string, change: QueuedChange) => Action
  readonly removeQueued: (id: string) => Action
  readonly sendQueued: (id: string) => Action
  /** Changes a step of a research's plan, or adds it at the end. */
  readonly putStep: (plan: PlanRef, stepId: string, text: string) => Action
  readonly removeStep: (plan: PlanRef, stepId: string) => Action
  readonly dismissPlan: (plan: PlanRef, isDismissed: boolean) => Action
  readonly startResearch: (args: Omit<StartResearchArgs, 'at'>) => Action
  readonly updateSettings: (changes: SettingArgs) => Action
}

export function useActions(): Actions {
  const zero = useZero()
  return useMemo(
    () => ({
      send: (args) => act(zero, () => zero.mutate(mutators.threads.send(args))),
      answer: (args) => act(zero, () => zero.mutate(mutators.threads.answer({ ...args, at: serverNowMs() }))),
      stop: (threadId, answerId) => act(zero, () => zero.mutate(mutators.threads.stop({ threadId, ...(answerId && { answerId }) }))),
      rename: (threadId, title) => act(zero, () => zero.mutate(mutators.threads.rename({ threadId, title }))),
      remove: (threadIds) => {
        for (const id of threadIds) forgetFirstThread(id)
        return act(zero, () => zero.mutate(mutators.threads.delete({ threadIds: [...threadIds], at: serverNowMs() })))
      },
      restore: (threadIds) => act(zero, () => zero.mutate(mutators.threads.restore({ threadIds: [...threadIds] }))),
      pin: (threadIds, isPinned) =>
        act(zero, () => zero.mutate(mutators.threads.pin({ threadIds: [...threadIds], isPinned, at: serverNowMs() }))),
      archive: (threadIds, isArchived) =>
        act(zero, () => zero.mutate(mutators.threads.archive({ threadIds: [...threadIds], isArchived, at: serverNowMs() }))),
      move: (threadIds, projectId) => act(zero, () => zero.mutate(mutators.threads.move({ threadIds: [...threadIds], projectId }))),
      share: (link) => act(zero, () => zero.mutate(mutators.shares.create(link))),
      revokeShare: (id) => act(zero, () => zero.mutate(mutators.shares.revoke({ id }))),
      setEffort: (threadId, modelId, effort) => act(zero, () => zero.mutate(mutators.threads.setEffort({ threadId, modelId, effort }))),
      show: (threadId, messageId) => act(zero, () => zero.mutate(mutators.threads.show({ threadId, messageId }))),
      fork: (threadId, messageId, newThreadId) =>
        act(zero, () => zero.mutate(mutators.threads.fork({ threadId, messageId, newThreadId, at: serverNowMs() }))),
      removeMessage: (threadId, messageId) =>
        act(zero, () => zero.mutate(mutators.messages.delete({ threadId, messageId, at: serverNowMs() }))),
      restoreMessage: (threadId, messageId) => act(zero, () => zero.mutate(mutators.messages.restore({ threadId, messageId }))),
      bookmark: (threadId, messageId, isBookmarked) =>
        act(zero, () => zero.mutate(mutators.messages.bookmark({ threadId, messageId, isBookmarked, at: serverNowMs() }))),
      queue: (args) => act(zero, () => zero.mutate(mutators.queue.add(args))),
      editQueued: (id, change) => act(zero, () => zero.mutate(mutators.queue.edit({ id, ...change, at: serverNowMs() }))),
      removeQueued: (id) => act(zero, () => zero.mutate(mutators.queue.remove({ id }))),
      sendQueued: (id) => act(zero, () => zero.mutate(mutators.queue.send({ id, at: serverNowMs() }))),
      putStep: (plan, stepId, text) =>
        act(zero, () => zero.mutate(mutators.research.putStep({ ...plan, stepId, text, at: serverNowMs() }))),
      removeStep: (plan, stepId) => act(zero, () => zero.mutate(mutators.research.removeStep({ ...plan, stepId, at: serverNowMs() }))),
      dismissPlan: (plan, isDismissed) =>
        act(zero, () => zero.mutate(mutators.research.dismiss({ ...plan, isDismissed, at: serverNowMs() }))),
      startResearch: (args) => act(zero, () => zero.mutate(mutators.research.start({ ...args, at: serverNowMs() }))),
      updateSettings: (changes) => act(zero, () => zero.mutate(mutators.settings.update(changes))),
    }),
    [zero],
  )
}

/** An action refused while the page shows inlined rows is repeated when the synced rows have arrived. */
export function act(zero: Zero, mutate: () => MutatorResult): Action {
  const action = actionOf(zero, mutate())
  if (!hasFirstRows()) return action
  const settled = action.client.then(async (outcome) => {
    if (outcome.ok) return action
    await firstRowsEnd()
    return actionOf(zero, mutate())
  })
  return { client: settled.then(({ client }) => client), server: settled.then(({ server }) => server) }
}

function actionOf(zero: Zero, { client, server }: MutatorResult): Action {
  const isAccepted = client.then(({ type }) => type === 'success')
  const isHidden = async () => zero.connection.state.current.name === 'disconnected' && (await isAccepted)
  return {
    client: client.then(outcomeFrom),
    server: server.then(async (result) => serverOutcomeFrom(result, await isHidden())),
  }
}

/** The first refusal, of the client's rules or of the server's. */
export async function settled({ client, server }: Action): Promise<Outcome> {
  const early = await client
  return early.ok ? server : early
}

/** Saves settings, and repeats the write after a reload if the page closes first. */
export const saveSettings = ({ updateSettings }: Pick<Actions, 'updateSettings'>, changes: SettingArgs): Promise<Outcome> =>
  trackSettings(changes, settled(updateSettings(changes)))
