import { memo, use } from 'react'
import type { MessagePart, ToolPart } from '../../../../worker/contract/threads/messages.ts'
import { type Source, sourcesOf } from '../../../../worker/contract/threads/sources.ts'
import { isWaitingCall } from '../../../../worker/contract/tools/approvals.ts'
import { serverOutputOf } from '../../../../worker/contract/tools/server-output.ts'
import { lazyPart } from '../../../lib/lazy-part.ts'
import { useStable } from '../../../lib/stable-value.ts'
import { Disclosure } from '../../../ui/disclosure.tsx'
import {
  type FormulaAllowance,
  FormulaOffset,
  FormulaPositionContext,
  formulaAllowance,
  partSpan,
} from '../../../ui/markdown/formula-allowance.tsx'
import { Markdown } from '../../../ui/markdown/markdown.tsx'
import { RetryingErrorBoundary } from '../../../ui/retrying-error-boundary.tsx'
import { scrollTabStop } from '../../../ui/scroll-tab-stop.ts'
import { ApprovalPlaceContext } from '../approvals/approval-place.ts'
import { ResearchWork } from '../research/research-work.tsx'
import { WebWork } from '../research/web-work.tsx'
import { MadeFiles } from './made-files.tsx'
import { type Segment, segmentsOf } from './segments.ts'
import { t } from './texts/en.ts'

const loadApprovals = () => import('../approvals/approval-card.tsx')
const ServerOutput = lazyPart(() => import('./server-output.tsx').then((module) => module.ServerOutput))
const CallProgress = lazyPart(() => import('./call-progress.tsx').then((module) => module.CallProgress))
const CallFailureText = lazyPart(() => import('../research/call-failure-text.tsx').then((module) => module.CallFailureText))
const ApprovalCard = lazyPart(() => loadApprovals().then((module) => module.ApprovalCard))
const DecisionNote = lazyPart(() => loadApprovals().then((module) => module.DecisionNote))

type AnswerPartsProps = { readonly messageId: string; readonly parts: readonly MessagePart[]; readonly isGrowing: boolean }

/** All parts of an answer in order. While it grows, the last part changes; a continued answer also changes in earlier parts. */
export const AnswerParts = memo(function AnswerParts({ messageId, parts, isGrowing }: AnswerPartsProps) {
  const segments = segmentsOf(parts)
  // The same array until a source is added, so that finished text blocks do not render again for each chunk.
  const sources = useStable(sourcesOf(parts), isSame)
  const formulas = { allowance: formulasOf(messageId), from: 0 }
  return (
    <FormulaPositionContext value={formulas}>
      {segments.map((segment, index) => {
        const isSegmentGrowing = isGrowing && (index === segments.length - 1 || isStreaming(parts, segment))
        return (
          <FormulaOffset key={segment.key} start={segment.key * partSpan}>
            <RetryingErrorBoundary part="messagePart" isGrowing={isGrowing} isTextGrowing={isSegmentGrowing}>
              <SegmentView segment={segment} sources={sources} isGrowing={isSegmentGrowing} isAnswerGrowing={isGrowing} />
            </RetryingErrorBoundary>
          </FormulaOffset>
        )
      })}
    </FormulaPositionContext>
  )
})

const isStreaming = (parts: readonly MessagePart[], segment: Segment): boolean => {
  if (segment.kind === 'reasoning') return segment.isRunning
  const part = parts[segment.key]
  return segment.kind === 'text' && part !== undefined && 'state' in part && part.state === 'streaming'
}

type SegmentViewProps = {
  readonly segment: Segment
  readonly sources: readonly Source[]
  readonly isGrowing: boolean
  readonly isAnswerGrowing: boolean
}

function SegmentView({ segment, sources, isGrowing, isAnswerGrowing }: SegmentViewProps) {
  switch (segment.kind) {
    case 'text':
      return <Markdown text={segment.text} isGrowing={isGrowing} sources={sources} />
    case 'reasoning':
      return <Reasoning text={segment.text} isRunning={isGrowing && segment.isRunning} durationMs={segment.durationMs} />
    case 'files':
      return <MadeFiles files={segment.files} />
    case 'web':
      return <WebWork calls={segment.calls} isRunning={isGrowing} />
    case 'research':
      return <ResearchWork calls={segment.calls} isRunning={isGrowing} sources={sources} />
    case 'tool':
      return <ToolCall part={segment.part} isGrowing={isAnswerGrowing} />
  }
}

type ReasoningProps = { readonly text: string; readonly isRunning: boolean; readonly durationMs: number | null }

/** The reasoning of a model: open while it streams, closed automatically when it ends, unless the user toggled it. */
function Reasoning({ text, isRunning, durationMs }: ReasoningProps) {
  // Some models do not return their reasoning: nothing can be opened.
  if (text === '' && !isRunning) return <p className="text-sm text-muted-foreground">{thoughtFor(durationMs)}</p>
  return (
    <Disclosure open={isRunning} summary={isRunning ? <span className="animate-breathe">{t('thinking')}</span> : thoughtFor(durationMs)}>
      <div className="ml-[0.1875rem] border-l-2 border-foreground/12 pl-4">
        <Markdown text={text} isGrowing={isRunning} className="md-quiet" />
      </div>
    </Disclosure>
  )
}

export function thoughtFor(durationMs: number | null): string {
  if (durationMs === null) return t('thought')
  const seconds = Math.max(1, Math.round(durationMs / 1000))
  if (seconds < 60) return t('thoughtSeconds', { seconds })
  return t('thoughtMinutes', { minutes: Math.floor(seconds / 60), seconds: seconds % 60 })
}

const isSame = (before: readonly Source[], after: readonly Source[]): boolean =>
  before.length === after.length && after.every(({ url, title }, index) => isAt(before[index], url, title))

const isAt = (source: Source | undefined, url: string, title: string): boolean => source?.url === url && source.title === title

/**
 * Formula allowances by answer id, stored outside of the components: a message outside of the view unmounts and must render the same when it
 * mounts again. Holds only ids and lengths, no user content.
 */
const allowances = new Map<string, FormulaAllowance>()
/** Chosen: more answers than a user scrolls back through. The least recently used entry is evicted. */
export const maxKeptAnswers = 500

export function formulasOf(messageId: string): FormulaAllowance {
  const allowance = allowances.get(messageId) ?? formulaAllowance()
  allowances.delete(messageId)
  allowances.set(messageId, allowance)
  for (const [id] of allowances) {
    if (allowances.size <= maxKeptAnswers) break
    allowances.delete(id)
  }
  return allowance
}

/** One tool call: a summary line with input and output in a disclosure, which is open while the call runs. A call that waits for the user is a card. */
function ToolCall({ part, isGrowing }: { readonly part: ToolPart; readonly isGrowing: boolean }) {
  const place = use(ApprovalPlaceContext)
  // A growing answer has no row of the call yet.
  if (isWaitingCall(part) && !isGrowing && place) return <ApprovalCard part={part} name={toolName(part)} place={place} />
  return (
    <>
      {/* A server chooses the name, which must not push the outcome out of view. */}
      <Disclosure open={part.state.startsWith('input')} summary={toolSummary(part)} wraps>
        <div className="ml-[0.1875rem] flex flex-col gap-2 border-l-2 border-foreground/12 pl-4">
          {part.approval?.approved !== undefined && <DecisionNote part={part} threadId={place?.threadId ?? null} />}
          {part.input !== undefined && <Value name={t('input')} value={part.input} />}
          {part.output !== undefined &&
            (part.source ? <ServerOutput output={part.output} /> : <Value name={t('result')} value={part.output} />)}
          {part.errorCode && (
            <p className="text-danger">
              <CallFailureText code={part.errorCode} />
            </p>
          )}
        </div>
      </Disclosure>
      {part.progress && <CallProgress tool={toolName(part)} progress={part.progress} />}
    </>
  )
}

type NamedTool = Pick<ToolPart, 'type' | 'title'>

const toolName = ({ type, title }: NamedTool): string =>
  title ??
  type
    .slice('tool-'.length)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[-_]+/g, ' ')
    .toLowerCase()

export function toolSummary({
  state,
  approval,
  output,
  errorCode,
  ...named
}: NamedTool & Pick<ToolPart, 'state' | 'approval'> & Partial<Pick<ToolPart, 'output' | 'errorCode'>>): string {
  const tool = toolName(named)
  switch (state) {
    case 'input-streaming':
    case 'input-available':
    case 'approval-responded':
      return t('usingTool', { tool })
    case 'approval-requested':
      return t(approval?.isInput ? 'toolAsks' : 'toolWaits', { tool })
    case 'output-available':
      return t(serverOutputOf(output)?.isError ? 'toolReportedFailure' : 'usedTool', { tool })
    case 'output-error':
      return t(errorCode === 'unfinished' || errorCode === 'maybe_done' ? 'toolInterrupted' : 'toolFailed', { tool })
    case 'output-denied':
      return t(approval?.isInput ? 'toolUnanswered' : 'toolDenied', { tool })
  }
}

function Value({ name, value }: { readonly name: string; readonly value: unknown }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return (
    <div>
      <p className="text-xs text-muted-foreground">{name}</p>
      <pre
        ref={scrollTabStop}
        className="max-h-64 scroll-ends overflow-auto font-mono text-code wrap-anywhere whitespace-pre-wrap text-muted-foreground"
      >
        {text}
      </pre>
    </div>
  )
}
