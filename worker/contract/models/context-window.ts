/**
 * The messages of a thread that one request sends. The server applies the window to the history of each turn. The thread view marks where the
 * sent messages begin.
 */

import { type AttachedFile, filePart } from '../files/files.ts'
import { type AnswerMessage, type ChatMessage, type MessagePart, textOf } from '../threads/messages.ts'
import type { Budget } from './context-budget.ts'
import { cutToTokens, fileTokens, instructionTokens, messageTokens, textTokens } from './token-estimates.ts'

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

export type RequestTexts = {
  readonly profile?: ProfileTexts | null | undefined
  readonly project?: ProjectTexts | null | undefined
  /** Parts of the answer that the turn continues. */
  readonly continued?: readonly MessagePart[] | undefined
  /** Kept for the facts about the user that are sent with the question. */
  readonly memoryTokens?: number | undefined
  readonly summaries?: readonly PathSummary[] | undefined
}

/**
 * The content of the first request of a turn. `inputTokens`: with the texts and files besides the history. `summarizedTokens`: what a summary that is
 * written first has to read. `isWhole`: as for `contextWindow`.
 */
export function sentRequest(
  history: readonly ChatMessage[],
  budget: Budget,
  { profile, project, continued, memoryTokens, summaries = [] }: RequestTexts,
  isWhole = true,
) {
  // As JSON, because the model also receives the results of its tools.
  const continuedTokens = continued ? textTokens(JSON.stringify(continued)) : 0
  const forHistory = historyTokens(budget, profile, project, memoryTokens) - continuedTokens
  const sent = withinBudget(history, forHistory, summaries, isWhole)
  const stored = new Set(summaries.map(({ id }) => id))
  const covered = sent.needsSummary ? history.slice(0, sent.from) : []
  const unread = covered.slice(covered.findLastIndex(({ id }) => stored.has(id)) + 1)
  return {
    ...sent,
    summarizedTokens: unread.reduce((sum, message) => sum + messageTokens(message), 0),
    projectFiles: fittingFiles(project?.files ?? [], budget.inputTokens),
    inputTokens: sent.tokens + instructionTokens + budget.inputTokens - forHistory,
  }
}

/** The input tokens that a request has for its history, after the texts of the user, the texts and files of the project, and facts. */
export function historyTokens(
  { inputTokens }: Budget,
  profile: ProfileTexts | null | undefined,
  project: ProjectTexts | null | undefined,
  memoryTokens = 0,
): number {
  const texts = [profile?.nickname, profile?.biography, profile?.instructions, project?.instructions].join('')
  return inputTokens - textTokens(texts) - fittingFiles(project?.files ?? [], inputTokens).tokens - memoryTokens
}

/** The summary of a path, as far as a request needs it. `id`: the last message that it covers. `tokens`: of the messages that it covers. */
export type PathSummary = { readonly id: string; readonly text: string; readonly tokens?: number | undefined }

export type ContextWindow = {
  /** The messages from this index are sent; 0 sends all. Otherwise the request begins with the opening and a summary of the messages before. */
  readonly from: number
  /** Null if no summary is needed, or no stored one leaves enough room. */
  readonly summary: PathSummary | null
  /** The turn has to write a summary of the messages before `from`. */
  readonly needsSummary: boolean
  /** The tokens of the sent messages and the summary. */
  readonly tokens: number
}

/** Chosen: about 1,000 English words. A longer text is cut. */
export const maxSummaryTokens = 2_000
/** Chosen: a first message up to this share of the window is repeated as it is. It often says what the thread is about. */
const openingShare = 1 / 8

/**
 * Sends the whole history if it fits, or else the oldest stored summary after which everything fits. So the start of the window stays, and a
 * provider can cache it, until the window is full. Then about half of it stays, and a summary is needed of everything before. The last
 * message is always sent, so a long thread never fails; `isMessageTooLong` limits it. `isWhole`: the history begins with the first message.
 */
export function contextWindow(
  history: readonly ChatMessage[],
  inputTokens: number,
  summaries: readonly PathSummary[] = [],
  isWhole = true,
): ContextWindow {
  const room = inputTokens - instructionTokens
  const last = history.length - 1
  /** By index: the tokens of this message and all after it, as far as they fit. */
  const tokensFrom: number[] = []
  let reached = Math.max(0, last)
  for (let index = last, sum = 0; index >= 0; index -= 1) {
    const message = history[index]
    if (message === undefined) break
    sum += messageTokens(message)
    if (sum > room && index < last) break
    tokensFrom[index] = sum
    reached = index
  }
  const tokensAt = (index: number) => tokensFrom[index] ?? 0
  const [first] = history
  if (first === undefined || (reached === 0 && (isWhole || last === 0))) return whole(tokensAt(0))
  const openingTokens = messageTokens(openingOf(first, room))
  for (const { from, summary } of startsIn(history, summaries)) {
    // The messages that are not loaded are among those that the summary covers.
    const allTokens = isWhole ? room + 1 : (summary.tokens ?? room) + tokensAt(from)
    if (from >= reached && allTokens <= room) return whole(allTokens)
    const tokens = openingTokens + messageTokens(summaryMessage(summary.text)) + tokensAt(from)
    if (from >= reached && tokens <= room) return { from, summary, needsSummary: false, tokens }
  }
  if (reached === 0) return whole(tokensAt(0))
  const fixedTokens = openingTokens + maxSummaryTokens
  const from = history.findIndex(
    ({ role }, index) => index >= reached && index > 0 && role === 'user' && tokensAt(index) <= (room - fixedTokens) / 2,
  )
  const start = from === -1 ? last : from
  const needsSummary = fixedTokens + tokensAt(start) <= room
  return { from: start, summary: null, needsSummary, tokens: tokensAt(start) + (needsSummary ? fixedTokens : 0) }
}

const whole = (tokens: number): ContextWindow => ({ from: 0, summary: null, needsSummary: false, tokens })

/** The summaries on the path that end before a question, in the order of the path. */
function startsIn(history: readonly ChatMessage[], summaries: readonly PathSummary[]) {
  if (summaries.length === 0) return []
  const byId = new Map(summaries.map((summary) => [summary.id, summary]))
  return history.flatMap((message, index) => {
    const before = history[index - 1]
    const summary = message.role === 'user' && before ? byId.get(before.id) : undefined
    return summary ? [{ from: index, summary }] : []
  })
}

/** The first message, for a request that leaves out others. A long one is cut, without its files. */
function openingOf(first: ChatMessage, room: number): ChatMessage {
  const maxTokens = room * openingShare
  if (first.role === 'user' && messageTokens(first) <= maxTokens) return first
  const text = first.role === 'user' ? cutToTokens(textOf(first), maxTokens) : ''
  return { id: first.id, role: 'user', parts: [{ type: 'text', text: `${text} […]`.trim() }] }
}

const noteId = 'summary-or-gap'
/** Sent to the model in place of the messages before the window. It is not stored. */
const noteMessage = (text: string): AnswerMessage => ({
  id: noteId,
  role: 'assistant',
  parts: [{ type: 'text', text }],
  metadata: { modelId: '', modelName: '', modelIcon: '', ending: 'completed', credits: 0 },
})

const summaryMessage = (text: string): AnswerMessage =>
  noteMessage(`[The messages from here on are left out, because the conversation is too long. A summary of them:]\n\n${text}`)

const gap = noteMessage('[Earlier messages of this conversation are left out here, because it is too long.]')

/** `isCut`: messages are left out without a summary. `needsSummary` is set if a summary of the messages before `from` can replace the gap. */
type SentMessages = Pick<ContextWindow, 'from' | 'needsSummary' | 'tokens'> & {
  readonly messages: readonly ChatMessage[]
  readonly isCut: boolean
}

/** The messages of the history that a model receives. */
export function withinBudget(
  history: readonly ChatMessage[],
  inputTokens: number,
  summaries: readonly PathSummary[],
  isWhole = true,
): SentMessages {
  const { from, summary, needsSummary, tokens } = contextWindow(history, inputTokens, summaries, isWhole)
  const [first] = history
  if (from === 0 || !first) return { from, needsSummary, tokens, messages: history, isCut: false }
  const rest = history.slice(from)
  if (!summary && !needsSummary) return { from, needsSummary, tokens, messages: rest, isCut: true }
  const opening = openingOf(first, inputTokens - instructionTokens)
  return { from, needsSummary, tokens, messages: [opening, summary ? summaryMessage(summary.text) : gap, ...rest], isCut: !summary }
}

/** The same messages with a summary in place of the gap: what a later turn sends while the window stays. */
export const withSummary = (sent: readonly ChatMessage[], text: string): readonly ChatMessage[] =>
  sent.map((message) => (message.id === noteId ? { ...message, parts: summaryMessage(text).parts } : message))
