/**
 * The messages of a thread that one request sends. The server applies the window to the history of each turn. The thread view marks where the
 * sent messages begin.
 */

import { type AttachedFile, filePart } from '../files/files.ts'
import type { AnswerMessage, ChatMessage, MessagePart } from '../threads/messages.ts'
import type { Budget } from './context-budget.ts'
import { fileTokens, instructionTokens, messageTokens, textTokens } from './token-estimates.ts'

export type FittingFiles = { readonly files: readonly AttachedFile[]; readonly omitted: readonly AttachedFile[]; readonly tokens: number }

/** The files of a project that a turn sends, in their order. Chosen: half of the input stays for the conversation. */
function fittingFiles(files: readonly AttachedFile[], inputTokens: number): FittingFiles {
  let tokens = 0
  const fitting = files.filter((file) => {
    const next = tokens + fileTokens(filePart(file))
    if (next > inputTokens / 2) return false
    tokens = next
    return true
  })
  return { files: fitting, omitted: files.filter((file) => !fitting.includes(file)), tokens }
}

type ProfileTexts = { readonly nickname?: string | null; readonly biography?: string | null; readonly instructions?: string | null }
type ProjectTexts = { readonly instructions?: string | null; readonly files?: readonly AttachedFile[] | null }

type RequestTexts = {
  readonly profile?: ProfileTexts | null | undefined
  readonly project?: ProjectTexts | null | undefined
  /** Parts of the answer that the turn continues. */
  readonly continued?: readonly MessagePart[] | undefined
}

/** What the first request of a turn sends. `inputTokens`: with the texts and files besides the history. */
export function sentRequest(history: readonly ChatMessage[], budget: Budget, { profile, project, continued }: RequestTexts) {
  // As JSON, because the model also receives the results of its tools.
  const continuedTokens = continued ? textTokens(JSON.stringify(continued)) : 0
  const forHistory = historyTokens(budget, profile, project) - continuedTokens
  const { messages, isCut } = withinBudget(history, forHistory)
  const sentTokens = messages.reduce((sum, message) => sum + messageTokens(message), instructionTokens)
  return {
    messages,
    isCut,
    projectFiles: fittingFiles(project?.files ?? [], budget.inputTokens),
    inputTokens: sentTokens + budget.inputTokens - forHistory,
  }
}

/** The input tokens that a request has for its history, after the texts of the user and the texts and files of the project. */
export function historyTokens(
  { inputTokens }: Budget,
  profile: ProfileTexts | null | undefined,
  project: ProjectTexts | null | undefined,
): number {
  const texts = [profile?.nickname, profile?.biography, profile?.instructions, project?.instructions].join('')
  return inputTokens - textTokens(texts) - fittingFiles(project?.files ?? [], inputTokens).tokens
}

/** Messages from index `from` are sent; 0 sends all. `includesFirst`: the first message is sent too. */
type ContextWindow = { readonly from: number; readonly includesFirst: boolean }

/**
 * Drops the oldest messages that do not fit. The last message is always sent, so a long thread never fails; `isMessageTooLong` limits it. The
 * first question is kept if it fits. The messages after the gap begin with a question.
 */
export function contextWindow(history: readonly ChatMessage[], inputTokens: number): ContextWindow {
  const [first] = history
  const last = history.at(-1)
  if (first === undefined || last === undefined || first === last) return { from: 0, includesFirst: true }
  let remaining = inputTokens - instructionTokens - messageTokens(last)
  const firstTokens = messageTokens(first)
  const includesFirst = firstTokens <= remaining
  if (includesFirst) remaining -= firstTokens
  let from = history.length - 1
  for (let index = from - 1; index > 0; index -= 1) {
    const message = history[index]
    if (message === undefined) break
    remaining -= messageTokens(message)
    if (remaining < 0) break
    from = index
  }
  if (from === 1 && includesFirst) return { from: 0, includesFirst }
  const question = history.findIndex(({ role }, index) => index >= from && role === 'user')
  return { from: question === -1 ? history.length - 1 : question, includesFirst }
}

/** Sent to the model in place of the omitted messages. It is not stored. */
const gap: AnswerMessage = {
  id: 'gap',
  role: 'assistant',
  parts: [{ type: 'text', text: '[Earlier messages of this conversation are left out here, because it is too long.]' }],
  metadata: { modelId: '', modelName: '', modelIcon: '', ending: 'completed', credits: 0 },
}

/** The messages of the history that a model receives. `isCut`: others were dropped. */
export function withinBudget(
  history: readonly ChatMessage[],
  inputTokens: number,
): { readonly messages: readonly ChatMessage[]; readonly isCut: boolean } {
  const { from, includesFirst } = contextWindow(history, inputTokens)
  if (from === 0) return { messages: history, isCut: false }
  return { messages: [...(includesFirst ? [...history.slice(0, 1), gap] : []), ...history.slice(from)], isCut: true }
}
