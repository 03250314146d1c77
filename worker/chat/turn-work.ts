/** What has to be done for an answer, by the mode of its message; or why nothing can be. */
import type { MessagePart } from '../contract/messages.ts'
import { planOf } from '../contract/research.ts'
import type { TurnOrder } from '../contract/turn.ts'
import type { Settings } from '../env.ts'
import type { AttachedFiles } from './attached-files.ts'
import { type Failure, failure } from './failures.ts'
import type { Work } from './live-run.ts'
import { callSettings } from './models/call-settings.ts'
import { recallThoughts } from './models/hidden-thoughts.ts'
import type { ConnectedModel } from './models/language-model.ts'
import { instructionsFor, modelMessages } from './prompt.ts'
import type { Emit } from './research/journal.ts'
import { planWork } from './research/make-plan.ts'
import { researchWork } from './research/run-research.ts'
import { runModel } from './run.ts'
import { connectTools } from './tools/connect-tools.ts'
import type { ConnectionGate } from './tools/connection-gate.ts'
import { turnTools } from './tools/turn-tools.ts'
import { foundForModel } from './tools/turn-web.ts'

export type WorkOrder = Pick<TurnOrder, 'history' | 'model' | 'mode' | 'effort' | 'person' | 'hosts'>

export type WorkPlace = {
  /** What of the answer is there already: of one that it continues, or from before its object died. */
  readonly parts: readonly MessagePart[]
  /** The files of the conversation, for the request that carries them. */
  readonly files: AttachedFiles
  /** For what does not come from a model's stream. */
  readonly emit: Emit
  /** What the tools of all answers that are written here share. */
  readonly connections: ConnectionGate
}

export function turnWork(
  order: WorkOrder,
  { model }: ConnectedModel,
  settings: Settings,
  { parts, files, emit, connections }: WorkPlace,
): Work | Failure {
  recallThoughts(model, order.history, order.model.id)
  const call = callSettings(order.model, order.effort)
  const world = order.mode === 'chat' ? null : connectTools(settings, connections, order.hosts)
  if (order.mode !== 'chat' && world === null) return failure('search_unavailable')
  if (order.mode === 'research' && world !== null) {
    const plan = planOf(parts)
    const research = { order, model, call, files, emit }
    return plan === null ? planWork(research) : researchWork({ ...research, parts, plan, world })
  }
  return (host) => {
    const tools = world && turnTools({ history: order.history, continued: parts }, world)
    return runModel(
      {
        model,
        instructions: instructionsFor(order, host.nowMs(), Object.keys(tools ?? {})),
        messages: modelMessages(order.history, parts, files, world && foundForModel(world.mark, parts)),
        ...call,
        tools,
      },
      host,
    )
  }
}
