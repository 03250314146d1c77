/** Computes the ending of an answer from stored state only, so that a restart gives the same result. */
import { maxRowBytes } from '../../contract/limits.ts'
import { totalUse } from '../../contract/models/model-use.ts'
import { settledCredits, toolFee } from '../../contract/models/quote.ts'
import { textTokens } from '../../contract/models/token-estimates.ts'
import { isToolPart, searchTool } from '../../contract/models/tools.ts'
import { researchPlanOf } from '../../contract/research/research.ts'
import { remainingPayment } from '../../contract/research/research-cost.ts'
import { applyChunk, maybeDone, type StreamChunk, sealParts, unfinished } from '../../contract/threads/message-stream.ts'
import type { AnswerMessage, AnswerMetadata, MessagePart } from '../../contract/threads/messages.ts'
import { hasBeenThought } from '../../contract/threads/thoughts.ts'
import { originsOfParts } from '../../contract/tools/taint.ts'
import type { TurnEnding } from '../../db/turn-endings.ts'
import { utf8Bytes } from '../../lib/utf8.ts'
import { failure } from '../model/failures.ts'
import type { Ended, TurnRecord } from './turn-state.ts'

/** True for visible text and for files. A file without an address is mentioned in the answer and not charged. */
export const isContent = (chunk: StreamChunk): boolean =>
  (chunk.type === 'file' && chunk.url !== '') ||
  (chunk.type === 'text-delta' && chunk.delta.trim() !== '') ||
  (chunk.type === 'reasoning-end' && chunk.textStart !== undefined)

/** True when the search provider returned a result list, even an empty one. `all`: with the calls that an earlier turn has written. */
export function hasSearched(chunks: readonly StreamChunk[], all = chunks): boolean {
  const tools = toolsIn(all)
  return chunks.some((chunk) => chunk.type === 'tool-output-available' && tools.get(chunk.toolCallId) === searchTool)
}

const toolsIn = (chunks: readonly StreamChunk[]): ReadonlyMap<string, string> =>
  new Map(chunks.flatMap((chunk) => ('toolName' in chunk ? [[chunk.toolCallId, chunk.toolName] as const] : [])))

/** The cost of the turn if it is charged. `all`: the chunks of the answer. */
function chargedCredits({ model, price, paid, demo, givenChunks, requests = [] }: TurnRecord, all: readonly StreamChunk[]): number {
  const chunks = all.slice(givenChunks)
  if (!price) return model.credits
  const { planMicroDollars, outputMicroDollarsPerMillionTokens, creditMicroDollars } = price
  // The demo model and its stand-ins cost nothing.
  if (demo) return settledCredits(price, { microDollars: 0, isKnown: true }, model.credits)
  const isKnown = requests.length > 0 && requests.every(({ microDollars }) => microDollars !== null)
  // The words of a stopped answer, whose use is never reported.
  const written = isKnown ? 0 : Math.ceil((writtenTokens(chunks) * (outputMicroDollarsPerMillionTokens ?? 0)) / 1_000_000)
  const reported = requests.reduce((sum, { microDollars }) => sum + (microDollars ?? 0), 0)
  const used = planMicroDollars + reported + written + feesOf(chunks, all)
  return settledCredits(price, { microDollars: Math.max(0, used - paidMicroDollars(paid, creditMicroDollars)), isKnown }, model.credits)
}

/** The earlier payment for a continued research, which is deducted from the cost of the rest. */
const paidMicroDollars = (paid: TurnRecord['paid'], creditMicroDollars: number): number => (paid?.credits ?? 0) * creditMicroDollars

/** The amount that the turn may still use. `chunks`: all of the answer. */
export function leftMicroDollars(
  { model, paid, givenChunks, requests = [] }: TurnRecord,
  { creditMicroDollars, planMicroDollars }: NonNullable<TurnRecord['price']>,
  chunks: readonly StreamChunk[],
): number {
  const reported = requests.reduce((sum, { microDollars }) => sum + (microDollars ?? 0), 0)
  const reserved = model.credits * creditMicroDollars + paidMicroDollars(paid, creditMicroDollars)
  return reserved - planMicroDollars - reported - feesOf(chunks.slice(givenChunks), chunks)
}

const writtenTokens = (chunks: readonly StreamChunk[]): number =>
  textTokens(chunks.map((chunk) => (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta' ? chunk.delta : '')).join(''))

function feesOf(chunks: readonly StreamChunk[], all: readonly StreamChunk[]): number {
  const tools = toolsIn(all)
  return chunks.reduce((sum, chunk) => sum + (chunk.type === 'tool-output-available' ? toolFee(tools.get(chunk.toolCallId) ?? '') : 0), 0)
}

/** `charged`: the credits of a charged turn; null if it is not charged. */
function answerMetadata(turn: TurnRecord, ended: Ended, charged: number | null, parts: readonly MessagePart[]): AnswerMetadata {
  const {
    generationId: id,
    model,
    mode,
    demo,
    startedAtMs,
    firstWordMs,
    requests = [],
    paid: earlier = null,
    omittedFiles,
    memories,
    isHistoryCut,
  } = turn
  const { ending, endedAtMs } = ended
  const use = totalUse(requests)
  const origins = [...new Set([...(turn.origins ?? []), ...originsOfParts(parts)])]
  const answeredBy = answeringModels(turn)
  const payment = { id, paid: earlier, credits: charged ?? 0, ending, isCharged: charged !== null }
  // The credits of a research that needs more than it reserved are used.
  const isSpent = charged !== null && ended.failure?.code === 'credits_spent'
  const paid = mode === 'research' && !isSpent ? remainingPayment(payment) : null
  return {
    modelId: model.id,
    modelName: model.name,
    modelIcon: model.icon,
    ending,
    credits: charged ?? 0,
    ...(mode === 'chat' ? {} : { mode }),
    ...(origins.length > 0 ? { origins } : {}),
    ...(paid ? { paid } : {}),
    ...(demo ? { demo: true } : {}),
    ...(ended.failure ? { failure: ended.failure } : {}),
    ...(omittedFiles ? { omittedFiles } : {}),
    ...(memories ? { memories } : {}),
    ...(isHistoryCut ? { isHistoryCut } : {}),
    durationMs: endedAtMs - startedAtMs,
    ...(firstWordMs === undefined ? {} : { firstWordMs }),
    ...(use ? { use } : {}),
    ...(turn.earlier ? { earlier: turn.earlier } : {}),
    ...(answeredBy.some((name) => name !== model.name) ? { answeredBy } : {}),
  }
}

/** The names of the models that answered, each once. */
function answeringModels({ model, fallbacks = [], requests = [] }: TurnRecord): readonly string[] {
  const nameOf = (slug: string) => fallbacks.find((fallback) => fallback.model === slug)?.name ?? model.name
  return [...new Set(requests.map((request) => nameOf(request.model)))]
}

/**
 * The ending that D1 records. An answer without content gets a row as well, so that the page can show the reason and offer Retry. An answer
 * that exceeds the row limit is cut and ends as failed; otherwise D1 would reject it forever and the thread would never become ready.
 */
export function turnEnding(turn: TurnRecord, ended: Ended, chunks: readonly StreamChunk[], title: string | null): TurnEnding {
  let ending = endingOf(turn, ended, chunks, title)
  const cut: Ended = { ...ended, ending: 'failed', failure: failure('answer_too_long') }
  // `sealParts` adds a text to each open tool call, so the row can exceed the sum of `storedBytes`. Halve the limit until the row fits.
  for (let bytes = maxAnswerBytes; utf8Bytes(JSON.stringify(ending.answer)) > maxRowBytes; bytes = Math.floor(bytes / 2))
    ending = endingOf(turn, cut, chunksWithin(chunks, bytes), title)
  return ending
}

function chunksWithin(chunks: readonly StreamChunk[], maxBytes: number): readonly StreamChunk[] {
  let bytes = 0
  const end = chunks.findIndex((chunk) => {
    bytes += storedBytes(chunk)
    return bytes > maxBytes
  })
  return end === -1 ? chunks : chunks.slice(0, end)
}

function endingOf(turn: TurnRecord, ended: Ended, chunks: readonly StreamChunk[], title: string | null): TurnEnding {
  const { generationId, userId, threadId, parentId, mode, paid, requestSent } = turn
  const earlierChunks = chunks.slice(0, turn.givenChunks)
  const newChunks = chunks.slice(turn.givenChunks)
  const hasAnswer = newChunks.some(isContent)
  const isStopped = ended.ending === 'stopped'
  const isCharged = hasAnswer || (isStopped && requestSent)
  const hasFailed = ended.ending === 'failed' || ended.ending === 'interrupted'
  // Only a plan, and a turn that waits for an approval, complete without an answer.
  const isPlan = ended.ending === 'completed' && !hasAnswer
  // A failed continuation of a paid research counts as an unpaid turn even with an answer, because its payment is kept for the next attempt.
  const isUnpaid = requestSent && (isPlan || (hasFailed && (!hasAnswer || paid != null)))
  const runsPlan = hasAnswer || researchPlanOf(earlierChunks.reduce<readonly MessagePart[]>(applyChunk, [])) !== null
  const credits = chargedCredits(turn, chunks)
  const parts = endedParts(turn, ended, sealParts(chunks.reduce<readonly MessagePart[]>(applyChunk, [])))
  const approvals = approvalsIn(newChunks, parts)
  const answer: AnswerMessage = {
    id: generationId,
    role: 'assistant',
    parts: parts.filter((part) =>
      part.type === 'reasoning' && 'text' in part ? hasBeenThought(part) : !('text' in part) || part.text !== '',
    ),
    metadata: answerMetadata(turn, ended, isCharged ? credits : null, parts),
  }
  return {
    generationId,
    userId,
    threadId,
    parentId,
    answer,
    charged: isCharged,
    credits,
    ...(isUnpaid ? { metadataIfCharged: chargedMetadata(turn, ended, { credits, runsPlan, parts }) } : {}),
    // The search is returned if none succeeded, unless the turn was stopped or has no answer.
    keepsSearch: isStopped || !hasAnswer || hasSearched(newChunks, chunks),
    // A turn that only plans never counts as a research.
    keepsResearch: mode !== 'research' || runsPlan,
    ...(paid && (isCharged || isUnpaid) ? { spentPaymentId: paid.by } : {}),
    title,
    requests: turn.requests ?? [],
    ...(approvals.length > 0 ? { approvals } : {}),
    ...(turn.replacesId === undefined ? {} : { replacesId: turn.replacesId }),
    endedAtMs: ended.endedAtMs,
  }
}

/** Only a completed turn asks for approvals. A call that was sent and has no result may have been carried out. */
const endedParts = ({ called = [] }: TurnRecord, { ending }: Ended, parts: readonly MessagePart[]): readonly MessagePart[] =>
  parts.map((part) => {
    if (!isToolPart(part)) return part
    if (part.state === 'approval-requested' && ending !== 'completed') return { ...part, state: 'output-error', ...unfinished }
    // A call of a server that a grant allowed is sent without a mark.
    const mayBeDone = called.includes(part.toolCallId) || (part.source !== undefined && part.input !== undefined && !part.approval)
    return part.errorCode === 'unfinished' && mayBeDone ? { ...part, ...maybeDone } : part
  })

/** The calls that this turn asks for and that wait in its answer. */
const approvalsIn = (chunks: readonly StreamChunk[], parts: readonly MessagePart[]): NonNullable<TurnEnding['approvals']> =>
  chunks.flatMap((chunk) => {
    if (chunk.type !== 'tool-approval-request' || !chunk.request) return []
    const { approvalId: id, toolCallId, request } = chunk
    const isWaiting = parts.some((part) => isToolPart(part) && part.state === 'approval-requested' && part.approval?.id === id)
    return isWaiting ? [{ id, toolCallId, ...request }] : []
  })
type Charged = { readonly credits: number; readonly runsPlan: boolean; readonly parts: readonly MessagePart[] }

/**
 * Metadata of an unpaid turn that is charged after all, because the day's unpaid turns are used up. Only a first attempt that ran a plan leaves
 * a payment; a continuation spends the earlier one.
 */
function chargedMetadata(turn: TurnRecord, ended: Ended, { credits, runsPlan, parts }: Charged): AnswerMetadata {
  const { paid: remaining, ...metadata } = answerMetadata(turn, ended, credits, parts)
  return remaining && runsPlan && !turn.paid ? { ...metadata, paid: remaining } : metadata
}

/** Chosen: the row limit (`maxRowBytes`) minus room for metadata and ids. */
export const maxAnswerBytes = 1_800_000

/** The bytes of the chunk in the stored row. The error texts that `sealParts` adds to open tool calls are not included. */
export function storedBytes(chunk: StreamChunk): number {
  if (chunk.type === 'tool-progress') return 0
  if (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta') return utf8Bytes(JSON.stringify(chunk.delta)) - 2
  return utf8Bytes(JSON.stringify(chunk))
}
