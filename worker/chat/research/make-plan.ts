/** The plan of a research: an answer of its own, which costs the person nothing. Nothing is searched before they approve it. */
import { maxPlanStepChars } from '../../contract/limits.ts'
import { textOf } from '../../contract/messages.ts'
import { planTool } from '../../contract/research.ts'
import { cutAt } from '../../contract/text-end.ts'
import type { AttachedFiles } from '../attached-files.ts'
import type { Work } from '../live-run.ts'
import type { CallSettings } from '../models/call-settings.ts'
import type { VendorModel } from '../models/vendor-model.ts'
import { instructionsFor, modelMessages } from '../prompt.ts'
import type { WorkOrder } from '../turn-work.ts'
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
