/** The part of the thread that the next request sends, by the rule that the server applies (worker/contract/models/context-window.ts). */
import type { Plan } from '../../../../worker/contract/access.ts'
import { maxPromptMemoryTokens } from '../../../../worker/contract/limits.ts'
import { budgetFor, type PricedModel } from '../../../../worker/contract/models/context-budget.ts'
import { contextWindow, historyTokens } from '../../../../worker/contract/models/context-window.ts'
import { instructionTokens } from '../../../../worker/contract/models/token-estimates.ts'
import { usesMemory } from '../../../../worker/contract/threads/memories.ts'
import type { ChatMessage } from '../../../../worker/contract/threads/messages.ts'
import type { Me, ProjectRow, SummaryRow } from '../../../sync/rows.ts'
import type { ContextUse } from '../composer/context-use.ts'
import type { ShownMessage } from '../message/shown-messages.ts'

/** The messages from this one are sent. Without a summary of those before, the turn writes one: the running turn, or else the next one. */
export type ContextStart = {
  readonly messageId: string
  readonly summary: Pick<SummaryRow, 'text' | 'tokens'> | null
  readonly isRunning: boolean
}

type ThreadContext = {
  /** Null if the whole thread or no message of it is sent. */
  readonly start: ContextStart | null
  readonly use: ContextUse
}

const nextQuestion: ChatMessage = { id: 'next', role: 'user', parts: [] }

type Sender = {
  readonly plan: Plan
  readonly setting?: Me['setting'] | undefined
  readonly project?: Pick<ProjectRow, 'instructions' | 'files' | 'isMemoryOff'> | undefined
  readonly isTemporary: boolean
}

export function threadContext(
  shownMessages: readonly ShownMessage[],
  model: PricedModel & { readonly name: string },
  { plan, setting, project, isTemporary }: Sender,
  summaries: readonly SummaryRow[],
): ThreadContext {
  const stored = shownMessages.flatMap((shown) => (shown.kind === 'live' ? [] : [shown.message]))
  const isRunning = stored.length < shownMessages.length
  const history = isRunning ? stored : [...stored, nextQuestion]
  const memoryTokens = usesMemory(setting, project, isTemporary) ? maxPromptMemoryTokens : 0
  const maxTokens = historyTokens(budgetFor(plan, model), setting, project, memoryTokens)
  const isWhole = shownMessages[0]?.parentId == null
  const { from, summary, needsSummary, tokens } = contextWindow(history, maxTokens, summaries, isWhole)
  const shown = from === 0 ? undefined : stored[from]
  const row = summaries.find(({ id }) => id === summary?.id) ?? null
  return {
    start: shown ? { messageId: shown.id, summary: row, isRunning } : null,
    use: {
      ...{ modelName: model.name, tokens, maxTokens: maxTokens - instructionTokens, isAtLeast: !isWhole && from === 0 },
      before: from === 0 ? 'sent' : summary ? 'summarized' : needsSummary ? 'toSummarize' : 'omitted',
    },
  }
}
