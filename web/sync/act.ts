/**
 * Writes of features: `act(mutators.threads.pin({ … }))`. The rows on screen change at once (`client`), and the action settles when the server has
 * decided (`server`); either may refuse with a sentence for the user. The promises never reject. Arguments named `at` are `serverNowMs()`, so that
 * rows sort correctly among the server's rows.
 */
import type { MutatorResult, Zero } from '@rocicorp/zero'
import { useZero } from '@rocicorp/zero/react'
import { useCallback } from 'react'
import { mutators } from '../../worker/contract/mutators.ts'
import { firstRowsEnd, forgetFirstThread, hasFirstRows } from './first-rows.ts'
import { type Outcome, outcomeFrom, serverOutcomeFrom } from './outcome.ts'

export type Action = { readonly client: Promise<Outcome>; readonly server: Promise<Outcome> }

/** A mutator with its arguments. */
export type Mutation = Parameters<Zero['mutate']>[0]
export type Act = (mutation: Mutation) => Action

export function useAct(): Act {
  const zero = useZero()
  return useCallback((mutation) => act(zero, mutation), [zero])
}

/** An action refused while the page shows inlined rows is repeated when the synced rows have arrived. */
function act(zero: Zero, mutation: Mutation): Action {
  if (mutation.mutator === mutators.threads.delete) for (const id of mutation.args.threadIds) forgetFirstThread(id)
  const action = actionOf(zero, zero.mutate(mutation))
  if (!hasFirstRows()) return action
  const settled = action.client.then(async (outcome) => {
    if (outcome.ok) return action
    await firstRowsEnd()
    return actionOf(zero, zero.mutate(mutation))
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
