/**
 * Converts the parts of an answer to rendered segments: step parts are dropped, adjacent reasoning parts are joined, and so are adjacent
 * web calls.
 */
import { isFilePart } from '../../../../worker/contract/files/files.ts'
import { isPageRead, isSearch, isToolPart } from '../../../../worker/contract/models/tools.ts'
import { isResearchWork } from '../../../../worker/contract/research/research-calls.ts'
import type { MessagePart, ToolPart } from '../../../../worker/contract/threads/messages.ts'
import { hasBeenThought } from '../../../../worker/contract/threads/thoughts.ts'
import { type MadeFile, madeFile } from './made-files.tsx'

export type Segment =
  | { readonly kind: 'text'; readonly key: number; readonly text: string }
  | {
      readonly kind: 'reasoning'
      readonly key: number
      readonly text: string
      readonly isRunning: boolean
      /** Null if unmeasured. */
      readonly durationMs: number | null
    }
  | { readonly kind: 'tool'; readonly key: number; readonly part: ToolPart }
  /** Adjacent searches and page reads. */
  | { readonly kind: 'web'; readonly key: number; readonly calls: readonly ToolPart[] }
  /** Adjacent generated files. */
  | { readonly kind: 'files'; readonly key: number; readonly files: readonly MadeFile[] }
  /** The plan of a research and all of its calls. */
  | { readonly kind: 'research'; readonly key: number; readonly calls: readonly ToolPart[] }

/** A key is the index of the first part, so a segment keeps its key while it grows. */
export function segmentsOf(parts: readonly MessagePart[]): readonly Segment[] {
  const segments: Segment[] = []
  let files = 0
  for (const [key, part] of parts.entries()) {
    const last = segments.at(-1)
    if (isText(part)) {
      if (part.text !== '') segments.push({ kind: 'text', key, text: part.text })
    } else if (isReasoning(part)) {
      const isRunning = part.state === 'streaming'
      const durationMs = part.durationMs ?? null
      if (last?.kind === 'reasoning') segments[segments.length - 1] = joined(last, part.text, isRunning, durationMs)
      else if (isRunning || hasBeenThought(part)) segments.push({ kind: 'reasoning', key, text: part.text, isRunning, durationMs })
    } else if (isFilePart(part)) {
      const file = madeFile(part, ++files)
      if (last?.kind === 'files') segments[segments.length - 1] = { ...last, files: [...last.files, file] }
      else segments.push({ kind: 'files', key, files: [file] })
    } else if (isToolPart(part) && undone.has(part.state)) {
      segments.push({ kind: 'tool', key, part })
    } else if (isResearchWork(part)) {
      if (last?.kind === 'research') segments[segments.length - 1] = { ...last, calls: [...last.calls, part] }
      else segments.push({ kind: 'research', key, calls: [part] })
    } else if (isSearch(part) || isPageRead(part)) {
      if (last?.kind === 'web') segments[segments.length - 1] = { ...last, calls: [...last.calls, part] }
      else segments.push({ kind: 'web', key, calls: [part] })
    } else if (isToolPart(part)) segments.push({ kind: 'tool', key, part })
  }
  return segments
}

/** Calls that are not made yet, or were denied. */
const undone: ReadonlySet<ToolPart['state']> = new Set(['approval-requested', 'approval-responded', 'output-denied'])

type ReasoningSegment = Extract<Segment, { kind: 'reasoning' }>

const joined = (segment: ReasoningSegment, text: string, isRunning: boolean, durationMs: number | null): ReasoningSegment => ({
  ...segment,
  text: [segment.text, text].filter(Boolean).join('\n\n'),
  isRunning,
  durationMs: segment.durationMs === null && durationMs === null ? null : (segment.durationMs ?? 0) + (durationMs ?? 0),
})

const isText = (part: MessagePart): part is Extract<MessagePart, { type: 'text' }> => part.type === 'text'
const isReasoning = (part: MessagePart): part is Extract<MessagePart, { type: 'reasoning' }> => part.type === 'reasoning'
