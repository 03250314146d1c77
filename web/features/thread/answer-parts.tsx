import { memo } from 'react'
import type { MessagePart } from '../../../worker/contract/messages.ts'
import { Markdown } from '../../ui/markdown/markdown.tsx'
import { Reasoning } from './reasoning.tsx'
import { type Segment, segmentsOf } from './segments.ts'
import { ToolCall } from './tool-call.tsx'

type AnswerPartsProps = { readonly parts: readonly MessagePart[]; readonly isGrowing: boolean }

/** Everything an answer consists of, in the order in which it was written. Only the last of it grows. */
export const AnswerParts = memo(function AnswerParts({ parts, isGrowing }: AnswerPartsProps) {
  const segments = segmentsOf(parts)
  return segments.map((segment, index) => (
    <SegmentView key={segment.key} segment={segment} isGrowing={isGrowing && index === segments.length - 1} />
  ))
})

function SegmentView({ segment, isGrowing }: { readonly segment: Segment; readonly isGrowing: boolean }) {
  switch (segment.kind) {
    case 'text':
      return <Markdown text={segment.text} isGrowing={isGrowing} />
    case 'reasoning':
      return <Reasoning text={segment.text} isRunning={isGrowing && segment.isRunning} durationMs={segment.durationMs} />
    case 'tool':
      return <ToolCall part={segment.part} />
  }
}
