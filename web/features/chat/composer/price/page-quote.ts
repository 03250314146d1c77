/**
 * The prices that the page shows before a turn, by the function that the server reserves with (worker/contract/models/turn-quote.ts). They differ
 * only if the page has not loaded the beginning of the thread.
 */
import { type AttachedFile, filePart } from '../../../../../worker/contract/files/files.ts'
import type { TurnMode } from '../../../../../worker/contract/models/modes.ts'
import type { Quote } from '../../../../../worker/contract/models/quote.ts'
import { messageTokens } from '../../../../../worker/contract/models/token-estimates.ts'
import { type QuotedRows, type TurnQuote, turnQuote } from '../../../../../worker/contract/models/turn-quote.ts'
import { pathTo } from '../../../../../worker/contract/threads/branches.ts'
import { usesMemory } from '../../../../../worker/contract/threads/memories.ts'
import type { ChatMessage } from '../../../../../worker/contract/threads/messages.ts'
import { allowedParts } from '../../../../../worker/contract/tools/allowed-calls.ts'
import { definitionTokens } from '../../../../../worker/contract/tools/server-definitions.ts'
import type { Me, MessageRow, ModelRow, ProjectRow, SummaryRow, ThreadWithMessages } from '../../../../sync/rows.ts'
import type { ServerSource } from '../../../../sync/tool-servers.ts'

/** The sums over the models that answer, and the input of the largest answer. `isPlan`: the message makes the plan of a research. */
export type DraftQuote = TurnQuote & { readonly isPlan: boolean }

type QuotedThread = {
  readonly me: Pick<Me, 'plan' | 'setting' | 'model'> | undefined
  readonly thread: ThreadWithMessages | undefined
  readonly project: ProjectRow | undefined
  /** Those of the thread, on all branches. */
  readonly summaries: readonly SummaryRow[]
  /** The tokens of the servers that the thread uses (`serverTokens`). */
  readonly definitionTokens: number
}

export type QuotedDraft = QuotedThread & {
  readonly others: readonly ModelRow[]
  readonly mode: TurnMode
  readonly parentId: string | null
  /** The thread is temporary, or will be. */
  readonly isTemporary: boolean
  readonly draft: { readonly text: string; readonly files: readonly AttachedFile[]; readonly choices: { readonly effort: string | null } }
}

/** Kept by the servers: a key press changes none, and converting many definitions takes milliseconds. */
const keptTokens = new WeakMap<readonly ServerSource[], { readonly switched: string; readonly tokens: number }>()

/** The tokens of the definitions in each request with tools. `offTools`: the sources whose switch was moved (`isSourceOn`). */
export function serverTokens(sources: readonly ServerSource[], offTools: readonly string[]): number {
  const switched = offTools.join()
  const kept = keptTokens.get(sources)
  if (kept?.switched === switched) return kept.tokens
  const tokens = definitionTokens(sources, offTools)
  keptTokens.set(sources, { switched, tokens })
  return tokens
}

/** Null before the user is loaded. The plan of a research costs nothing up to a daily count, and needs these credits all the same. */
export function quoteDraft(
  { me, others, mode, thread, parentId, isTemporary, draft, project, summaries, definitionTokens: tokens }: QuotedDraft,
  creditMicroDollars: number,
): DraftQuote | null {
  if (!me?.model) return null
  const next: ChatMessage = { id: 'next', role: 'user', parts: [{ type: 'text', text: draft.text }, ...draft.files.map(filePart)] }
  const rows = {
    ...{ plan: me.plan, mode, profile: me.setting, project, summaries, turnCredits: thread?.turnCredits },
    effort: thread ? thread.effort : draft.choices.effort,
    definitionTokens: tokens,
    hasMemory: usesMemory(me.setting, project, isTemporary),
    ...pathRows(thread, parentId, [next]),
  }
  const quotes = [me.model, ...others].map((model) => turnQuote({ ...rows, model }, creditMicroDollars))
  const sum = (of: (quote: Quote) => number) => quotes.reduce((total, quote) => total + of(quote), 0)
  return {
    minimum: sum(({ minimum }) => minimum),
    expected: sum(({ expected }) => expected),
    most: sum(({ most }) => most),
    inputTokens: Math.max(...quotes.map((quote) => quote.inputTokens)),
    toolTokens: Math.max(...quotes.map((quote) => quote.toolTokens)),
    exceedsLimit: quotes.some(({ exceedsLimit }) => exceedsLimit),
    isPlan: mode === 'research',
  }
}

/** The credits that carrying out a plan is expected to cost. Each step that the user removes makes it cheaper. */
export function quotePlan(
  { me, thread, project, summaries }: Omit<QuotedThread, 'definitionTokens'>,
  planId: string,
  creditMicroDollars: number,
): number {
  const answer = thread?.messages.find(({ id }) => id === planId)
  if (!me?.model || !answer) return 0
  const texts = { profile: me.setting, project, summaries, definitionTokens: 0, hasMemory: false }
  const rows = { plan: me.plan, model: me.model, effort: thread?.effort, ...texts }
  const research = { mode: 'research', continued: answer.message } as const
  return turnQuote({ ...rows, ...research, ...pathRows(thread, answer.parentId) }, creditMicroDollars).expected
}

/** The price of the continued answer, if every call that waits is allowed. Null before its rows are loaded. */
export function quoteAllowed(
  { me, thread, project, summaries, definitionTokens: tokens, models }: QuotedThread & { readonly models: readonly ModelRow[] },
  answerId: string,
  creditMicroDollars: number,
): TurnQuote | null {
  const answer = thread?.messages.find(({ id }) => id === answerId)
  if (!me || !thread || answer?.message.role !== 'assistant') return null
  const { modelId, mode = 'chat' } = answer.message.metadata
  const model = models.find(({ id }) => id === modelId)
  if (!model) return null
  const rows = {
    ...{ plan: me.plan, model, mode, profile: me.setting, project, summaries, turnCredits: thread.turnCredits, effort: thread.effort },
    hasMemory: usesMemory(me.setting, project, thread.expiresAt != null),
    ...{ definitionTokens: tokens, continued: { ...answer.message, parts: allowedParts(answer.message.parts) } },
  }
  return turnQuote({ ...rows, ...pathRows(thread, answer.parentId) }, creditMicroDollars)
}

/** The path to `parentId`, and `next` after it. */
function pathRows(
  thread: ThreadWithMessages | undefined,
  parentId: string | null | undefined,
  next: readonly ChatMessage[] = [],
): Pick<QuotedRows, 'path' | 'leastInputTokens'> {
  const loaded = pathTo(thread?.messages ?? [], parentId)
  const path = [...loaded, ...next.map((message) => ({ parentId, message }))]
  if (loaded[0]?.parentId == null) return { path }
  const nextTokens = next.reduce((sum, message) => sum + messageTokens(message), 0)
  return { path: [...onlyFirstOf(thread), ...path], leastInputTokens: lastUse(loaded) + nextTokens }
}

/** The first message of the thread, which is loaded besides the newest messages. Empty if there are versions of it. */
function onlyFirstOf(thread: ThreadWithMessages | undefined): readonly MessageRow[] {
  const firsts = thread?.messages.filter(({ parentId }) => parentId == null) ?? []
  return firsts.length === 1 ? firsts : []
}

/** The tokens of the last answer that was one request: what it sent and wrote is sent again. */
function lastUse(path: readonly MessageRow[]): number {
  const last = path.findLast(({ message }) => message.role === 'assistant' && message.metadata.use?.requests === 1)?.message
  const use = last?.role === 'assistant' ? last.metadata.use : undefined
  return (use?.inputTokens ?? 0) + (use?.outputTokens ?? 0)
}
