/**
 * The ending of an answer as a value: rebuilt from the log alone, so that it comes out the same whether the object that wrote the
 * answer ends it or one that woke up after a crash.
 */
import { maxRowBytes } from '../contract/limits.ts'
import { applyChunk, type StreamChunk, sealParts } from '../contract/message-stream.ts'
import { type AnswerMessage, type AnswerMetadata, hasBeenThought, type MessagePart } from '../contract/messages.ts'
import { findingsTool } from '../contract/research.ts'
import { paymentLeft } from '../contract/research-cost.ts'
import { searchTool } from '../contract/tools.ts'
import type { TurnEnding } from '../db/turn-endings.ts'
import { utf8Bytes } from '../lib/utf8.ts'
import { failure } from './failures.ts'
import type { Ended, Turn } from './turn-state.ts'

/** Whether the model gave anything of worth: a word, a picture. */
export const hasContent = (chunks: Iterable<StreamChunk>): boolean => {
  for (const chunk of chunks) if (isContent(chunk)) return true
  return false
}

/** A file that nobody can open is told of, and is worth nothing. */
export const isContent = (chunk: StreamChunk): boolean =>
  (chunk.type === 'file' && chunk.url !== '') || (chunk.type === 'text-delta' && chunk.delta.trim() !== '')

/** Whether the search company answered at all; "nothing found" is an answer. A search that failed is not charged. */
export const hasSearched = (chunks: readonly StreamChunk[]): boolean => hasAnswered(chunks, searchTool)

/** Whether a research has written down what it found out. Its plan is not charged. */
export const hasFindings = (chunks: readonly StreamChunk[]): boolean => hasAnswered(chunks, findingsTool)

function hasAnswered(chunks: readonly StreamChunk[], toolName: string): boolean {
  const calls = new Set(chunks.flatMap((chunk) => ('toolName' in chunk && chunk.toolName === toolName ? [chunk.toolCallId] : [])))
  return chunks.some((chunk) => chunk.type === 'tool-output-available' && calls.has(chunk.toolCallId))
}

export function answerMetadata(turn: Turn, ended: Ended, charged: boolean): AnswerMetadata {
  const { generationId: id, model, mode } = turn
  const paid =
    mode === 'research' && paymentLeft({ id, paid: turn.paid ?? null, credits: model.credits, ending: ended.ending, isCharged: charged })
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
  }
}

/**
 * A row is written even for an answer without a word, so that Retry has a place and the reason can be read. One that no row takes would be
 * refused for ever, and its thread never be ready: however it ended, it is cut, and only what is kept of it is charged.
 */
export function turnEnding(turn: Turn, ended: Ended, chunks: readonly StreamChunk[], title: string | null): TurnEnding {
  let ending = endingOf(turn, ended, chunks, title)
  const cut: Ended = { ...ended, ending: 'failed', failure: failure('answer_too_long') }
  // Again with less room, should what its chunks say of themselves be less than the truth.
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

function endingOf(turn: Turn, ended: Ended, chunks: readonly StreamChunk[], title: string | null): TurnEnding {
  const own = chunks.slice(turn.givenChunks)
  const isStopped = ended.ending === 'stopped'
  // Findings are shown as they come: whoever stops a research has had them. One that went wrong owes its person the report.
  const charged = hasContent(own) || (isStopped && hasFindings(own))
  // So are results, whoever stops after them; what went wrong after its search gave its person no answer.
  const searched = hasSearched(own) && (charged || isStopped)
  const parts = sealParts(chunks.reduce<readonly MessagePart[]>(applyChunk, []))
  const answer: AnswerMessage = {
    id: turn.generationId,
    role: 'assistant',
    parts: parts.filter((part) =>
      part.type === 'reasoning' && 'text' in part ? hasBeenThought(part) : !('text' in part) || part.text !== '',
    ),
    metadata: answerMetadata(turn, ended, charged),
  }
  const { generationId, userId, threadId, parentId } = turn
  return {
    generationId,
    userId,
    threadId,
    parentId,
    answer,
    charged,
    searched,
    // What was searched for a research that its person stopped stays in its answer, to go on from.
    researched: charged || (isStopped && searched),
    ...(charged && turn.paid ? { spent: turn.paid.by } : {}),
    title,
    endedAtMs: ended.endedAtMs,
  }
}

/** Below the row limit by what metadata and ids take. */
export const maxAnswerBytes = 1_800_000

/** What a chunk adds to the stored row, in bytes: never less than the truth. */
export function storedBytes(chunk: StreamChunk): number {
  if (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta') return utf8Bytes(JSON.stringify(chunk.delta)) - 2
  return utf8Bytes(JSON.stringify(chunk))
}
