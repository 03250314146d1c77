/** Computes the ending of an answer from stored state only, so that a restart gives the same result. */
import { maxRowBytes } from '../../contract/limits.ts'
import { applyChunk, type StreamChunk, sealParts } from '../../contract/message-stream.ts'
import { type AnswerMessage, type AnswerMetadata, hasBeenThought, type MessagePart } from '../../contract/messages.ts'
import { totalUse } from '../../contract/model-use.ts'
import { planOf } from '../../contract/research.ts'
import { remainingPayment } from '../../contract/research-cost.ts'
import { searchTool } from '../../contract/tools.ts'
import type { TurnEnding } from '../../db/turn-endings.ts'
import { utf8Bytes } from '../../lib/utf8.ts'
import { failure } from '../model/failures.ts'
import type { Ended, TurnRecord } from './turn-state.ts'

/** Text or a file. A file that cannot be opened is mentioned and not charged. */
export const isContent = (chunk: StreamChunk): boolean =>
  (chunk.type === 'file' && chunk.url !== '') || (chunk.type === 'text-delta' && chunk.delta.trim() !== '')

/** True when the search provider returned a result list, even an empty one. */
export function hasSearched(chunks: readonly StreamChunk[]): boolean {
  const calls = new Set(chunks.flatMap((chunk) => ('toolName' in chunk && chunk.toolName === searchTool ? [chunk.toolCallId] : [])))
  return chunks.some((chunk) => chunk.type === 'tool-output-available' && calls.has(chunk.toolCallId))
}

function answerMetadata(turn: TurnRecord, ended: Ended, charged: boolean): AnswerMetadata {
  const { generationId: id, model, mode, firstWordMs, requests = [] } = turn
  const use = totalUse(requests)
  const answeredBy = answeringModels(turn)
  const paid =
    mode === 'research' &&
    remainingPayment({ id, paid: turn.paid ?? null, credits: model.credits, ending: ended.ending, isCharged: charged })
  return {
    modelId: turn.model.id,
    modelName: turn.model.name,
    modelIcon: turn.model.icon,
    ending: ended.ending,
    credits: charged ? turn.model.credits : 0,
    ...(turn.mode === 'chat' ? {} : { mode: turn.mode }),
    ...(paid ? { paid } : {}),
    ...(turn.demo ? { demo: true } : {}),
    ...(ended.failure ? { failure: ended.failure } : {}),
    durationMs: ended.endedAtMs - turn.startedAtMs,
    ...(firstWordMs === undefined ? {} : { firstWordMs }),
    ...(use ? { use } : {}),
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
  // Cut again to fewer bytes when the row is larger than the sum of `storedBytes`.
  for (let bytes = maxAnswerBytes; utf8Bytes(JSON.stringify(ending.answer)) > maxRowBytes; bytes = Math.floor(bytes / 2))
    ending = endingOf(turn, cut, firstOf(chunks, bytes), title)
  return ending
}

function firstOf(chunks: readonly StreamChunk[], maxBytes: number): readonly StreamChunk[] {
  let bytes = 0
  const end = chunks.findIndex((chunk) => {
    bytes += storedBytes(chunk)
    return bytes > maxBytes
  })
  return end === -1 ? chunks : chunks.slice(0, end)
}

function endingOf(turn: TurnRecord, ended: Ended, chunks: readonly StreamChunk[], title: string | null): TurnEnding {
  const { generationId, userId, threadId, parentId, mode, paid, requestSent } = turn
  const given = chunks.slice(0, turn.givenChunks)
  const own = chunks.slice(turn.givenChunks)
  const hasAnswer = own.some(isContent)
  const isStopped = ended.ending === 'stopped'
  const charged = hasAnswer || (isStopped && requestSent)
  const hasFailed = ended.ending === 'failed' || ended.ending === 'interrupted'
  // Only a plan completes without an answer.
  const isPlan = ended.ending === 'completed' && !hasAnswer
  // A continued research that was paid before holds no credits, so its failure is unpaid even with an answer.
  const isUnpaid = requestSent && (isPlan || (hasFailed && (!hasAnswer || paid != null)))
  const isCarryingOut = hasAnswer || planOf(given.reduce<readonly MessagePart[]>(applyChunk, [])) !== null
  const parts = sealParts(chunks.reduce<readonly MessagePart[]>(applyChunk, []))
  const answer: AnswerMessage = {
    id: generationId,
    role: 'assistant',
    parts: parts.filter((part) =>
      part.type === 'reasoning' && 'text' in part ? hasBeenThought(part) : !('text' in part) || part.text !== '',
    ),
    metadata: answerMetadata(turn, ended, charged),
  }
  return {
    generationId,
    userId,
    threadId,
    parentId,
    answer,
    charged,
    ...(isUnpaid ? { metadataIfCharged: chargedMetadata(turn, ended, isCarryingOut) } : {}),
    // The reserved search is returned if no search succeeded, unless the turn was stopped or has no answer.
    keepsSearch: isStopped || !hasAnswer || hasSearched(own),
    // A turn that only plans never counts as a research.
    keepsResearch: mode !== 'research' || isCarryingOut,
    ...(paid && (charged || isUnpaid) ? { spentPaymentId: paid.by } : {}),
    title,
    requests: turn.requests ?? [],
    endedAtMs: ended.endedAtMs,
  }
}

/** Metadata of a turn that is charged because the day's unpaid turns are used up. A payment from an earlier attempt is spent by it. */
function chargedMetadata(turn: TurnRecord, ended: Ended, isCarryingOut: boolean): AnswerMetadata {
  const { paid: remaining, ...metadata } = answerMetadata(turn, ended, true)
  return remaining && isCarryingOut && !turn.paid ? { ...metadata, paid: remaining } : metadata
}

/** The row limit without metadata and ids. */
export const maxAnswerBytes = 1_800_000

/** An upper bound of the bytes that a chunk adds to the stored row. */
export function storedBytes(chunk: StreamChunk): number {
  if (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta') return utf8Bytes(JSON.stringify(chunk.delta)) - 2
  return utf8Bytes(JSON.stringify(chunk))
}
