/** The work of a turn by its mode, or the failure that prevents it. */
import type { MessagePart } from '../../contract/messages.ts'
import { planOf } from '../../contract/research.ts'
import type { Settings } from '../../settings.ts'
import { isCacheable } from '../model/cache-mark.ts'
import { runModel } from '../model/call.ts'
import { callSettings } from '../model/call-settings.ts'
import { type Failure, failure } from '../model/failures.ts'
import type { AttachedFiles } from '../model/files.ts'
import { instructionsFor, modelMessages } from '../model/prompt.ts'
import type { ConnectedModel } from '../model/providers.ts'
import type { Emit } from '../research/journal.ts'
import { planWork } from '../research/make-plan.ts'
import { researchWork } from '../research/run-research.ts'
import { connectTools } from '../tools/connect-tools.ts'
import { turnTools } from '../tools/turn-tools.ts'
import { foundForModel } from '../tools/turn-web.ts'
import type { Work, WorkOrder } from './live-run.ts'

export type WorkPlace = {
  /** Existing parts: of the answer that this one continues, or from before a restart. */
  readonly parts: readonly MessagePart[]
  /** The files of the conversation. */
  readonly files: AttachedFiles
  /** Writes chunks that are not from a model's stream. */
  readonly emit: Emit
}

export function turnWork(
  order: WorkOrder,
  { model }: ConnectedModel,
  settings: Settings,
  { parts, files, emit }: WorkPlace,
): Work | Failure {
  const call = callSettings(order.model, order.effort, order.fallbacks)
  const world = order.mode === 'chat' ? null : connectTools(settings)
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
        isCacheable: isCacheable(order, tools !== null),
      },
      host,
    )
  }
}
