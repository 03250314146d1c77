/** Where the messages begin that the next request sends, by the rule that the server applies (worker/contract/models/context-window.ts). */
import type { Plan } from '../../../../worker/contract/access.ts'
import { budgetFor, type PricedModel } from '../../../../worker/contract/models/context-budget.ts'
import { contextWindow, historyTokens } from '../../../../worker/contract/models/context-window.ts'
import type { ChatMessage } from '../../../../worker/contract/threads/messages.ts'
import type { Me, ProjectRow } from '../../../sync/rows.ts'
import type { ShownMessage } from '../message/shown-messages.ts'
import { t } from './texts/en.ts'

export type ContextStart = { readonly messageId: string; readonly includesFirst: boolean }

const nextQuestion: ChatMessage = { id: 'next', role: 'user', parts: [] }

type Sender = {
  readonly plan: Plan
  readonly setting?: Me['setting'] | undefined
  readonly project?: Pick<ProjectRow, 'instructions' | 'files'> | undefined
}

/** Null while the whole thread is sent. */
export function contextStart(
  shownMessages: readonly ShownMessage[],
  model: PricedModel,
  { plan, setting, project }: Sender,
): ContextStart | null {
  const history = shownMessages.flatMap((shown) => (shown.kind === 'live' ? [] : [shown.message]))
  const inputTokens = historyTokens(budgetFor(plan, model), setting, project)
  const { from, includesFirst } = contextWindow([...history, nextQuestion], inputTokens)
  const shown = from === 0 ? undefined : shownMessages[from]
  return shown ? { messageId: shown.id, includesFirst } : null
}

type ContextMarkProps = { readonly start: ContextStart; readonly modelName: string }

/** The line above the first message that a long thread still sends to the chosen model. */
export function ContextMark({ start, modelName }: ContextMarkProps) {
  return (
    <p
      role="note"
      className="my-5 flex items-center gap-3 text-balance text-center text-muted-foreground text-xs before:h-px before:flex-1 before:bg-foreground/12 after:h-px after:flex-1 after:bg-foreground/12"
    >
      <span className="max-w-[75%]">{t(start.includesFirst ? 'contextMarkButFirst' : 'contextMark', { model: modelName })}</span>
    </p>
  )
}
