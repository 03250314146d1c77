/** Makes the plan of a research, as a free answer of its own. Nothing is searched before the user approves it. */
import { maxPlanStepChars } from '../../contract/limits.ts'
import { textOf } from '../../contract/messages.ts'
import { planTool } from '../../contract/research.ts'
import { cutAt } from '../../contract/text-end.ts'
import type { CallSettings } from '../model/call-settings.ts'
import type { AttachedFiles } from '../model/files.ts'
import { instructionsFor, modelMessages } from '../model/prompt.ts'
import type { VendorModel } from '../model/types.ts'
import type { Work, WorkOrder } from '../turn/live-run.ts'
import type { Emit } from './journal.ts'
import { planFrom } from './plan-text.ts'
import { planRequest } from './prompts.ts'
import { quietCall } from './quiet-call.ts'

type PlanWork = {
  readonly order: WorkOrder
  readonly model: VendorModel
  readonly call: CallSettings
  readonly files: AttachedFiles
  readonly emit: Emit
}

export const planWork =
  ({ order, model, call, files, emit }: PlanWork): Work =>
  async (host) => {
    const toolCallId = planTool
    emit({ type: 'tool-input-start', toolCallId, toolName: planTool })
    const instructions = `${instructionsFor({ ...order, mode: 'chat' }, host.nowMs())}\n\n# The plan\n${planRequest}`
    const said = await quietCall({ model, instructions, messages: modelMessages(order.history, [], files), ...call }, host)
    if ('outcome' in said || host.signal.aborted) return 'outcome' in said ? said.outcome : { ending: 'completed' }
    const question = order.history.at(-1)
    const plan = planFrom(said.text, question ? cutAt(textOf(question), maxPlanStepChars) : '')
    emit({ type: 'tool-input-available', toolCallId, toolName: planTool, input: {} })
    emit({ type: 'tool-output-available', toolCallId, output: plan })
    return { ending: 'completed' }
  }
