/**
 * What features do. Each action changes the rows on screen at once (`client`) and settles when the server has decided
 * (`server`); either may refuse, with a sentence for the person. Neither promise ever rejects.
 */
import type { MutatorResult } from '@rocicorp/zero'
import { useZero } from '@rocicorp/zero/react'
import { useMemo } from 'react'
import { type AnswerArgs, mutators, type SendArgs, type SettingArgs } from '../../worker/contract/mutators.ts'
import { firstRowsEnd, forgetFirstThread, hasFirstRows } from './first-rows.ts'
import { type Outcome, outcomeFrom } from './outcome.ts'

export type Action = { readonly client: Promise<Outcome>; readonly server: Promise<Outcome> }

export type Actions = {
  readonly send: (args: Omit<SendArgs, 'at'>) => Action
  readonly answer: (args: Omit<AnswerArgs, 'at'>) => Action
  readonly stop: (threadId: string) => Action
  readonly rename: (threadId: string, title: string) => Action
  readonly remove: (threadId: string) => Action
  readonly restore: (threadId: string) => Action
  readonly updateSettings: (changes: SettingArgs) => Action
}

export function useActions(): Actions {
  const zero = useZero()
  return useMemo(
    () => ({
      send: (args) => act(() => zero.mutate(mutators.threads.send({ ...args, at: Date.now() }))),
      answer: (args) => act(() => zero.mutate(mutators.threads.answer({ ...args, at: Date.now() }))),
      stop: (threadId) => act(() => zero.mutate(mutators.threads.stop({ threadId }))),
      rename: (threadId, title) => act(() => zero.mutate(mutators.threads.rename({ threadId, title }))),
      remove: (threadId) => {
        forgetFirstThread(threadId)
        return act(() => zero.mutate(mutators.threads.delete({ threadId, at: Date.now() })))
      },
      restore: (threadId) => act(() => zero.mutate(mutators.threads.restore({ threadId }))),
      updateSettings: (changes) => act(() => zero.mutate(mutators.settings.update(changes))),
    }),
    [zero],
  )
}

/** What is refused while the page shows rows that this browser does not hold yet is tried again when it does. */
function act(mutate: () => MutatorResult): Action {
  const action = actionOf(mutate())
  if (!hasFirstRows()) return action
  const settled = action.client.then(async (outcome) => {
    if (outcome.ok) return action
    await firstRowsEnd()
    return actionOf(mutate())
  })
  return { client: settled.then(({ client }) => client), server: settled.then(({ server }) => server) }
}

const actionOf = ({ client, server }: MutatorResult): Action => ({ client: client.then(outcomeFrom), server: server.then(outcomeFrom) })
