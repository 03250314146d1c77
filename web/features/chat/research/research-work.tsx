/** The work of a research: its steps, each with its searches, pages and notes in a disclosure. */
import { Check, Circle, CircleAlert, CircleSlash2 } from 'lucide-react'
import { isSearch } from '../../../../worker/contract/models/tools.ts'
import type { ToolPart } from '../../../../worker/contract/threads/messages.ts'
import type { Source } from '../../../../worker/contract/threads/sources.ts'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { FormulaOffset, textSpan } from '../../../ui/markdown/formula-allowance.tsx'
import { Markdown } from '../../../ui/markdown/markdown.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { researchSummary, type StepView, stepsOf } from './research-steps.ts'
import { t } from './texts/en.ts'
import { PageCall, SearchCall } from './web-work.tsx'

type ResearchWorkProps = { readonly calls: readonly ToolPart[]; readonly isRunning: boolean; readonly sources: readonly Source[] }

export function ResearchWork({ calls, isRunning, sources }: ResearchWorkProps) {
  const steps = stepsOf(calls, isRunning)
  const summary = researchSummary(calls, isRunning)
  if (steps.length === 0)
    return <p className={`flex h-7 items-center text-sm text-muted-foreground ${isRunning ? 'animate-breathe' : ''}`}>{summary}</p>
  return (
    <Disclosure open={isRunning} summary={isRunning ? <span className="animate-breathe">{summary}</span> : summary}>
      <ol aria-label={t('steps')} className="ml-[0.1875rem] flex flex-col gap-1.5 border-l-2 border-foreground/12 pl-4 text-sm">
        {steps.map((step, index) => (
          <FormulaOffset key={step.id} start={index * textSpan}>
            <Step step={step} sources={sources} />
          </FormulaOffset>
        ))}
      </ol>
    </Disclosure>
  )
}

function Step({ step, sources }: { readonly step: StepView; readonly sources: readonly Source[] }) {
  const { state, calls, findings } = step
  const text = state === 'running' ? <span className="font-medium text-foreground">{step.text}</span> : step.text
  if (calls.length === 0)
    return (
      <li className="flex min-w-0 items-center gap-2 py-0.5 text-muted-foreground">
        <StateIcon state={state} />
        <span className="min-w-0 truncate">{text}</span>
      </li>
    )
  return (
    <li className="flex min-w-0 items-start gap-2">
      <span className="flex h-6 shrink-0 items-center">
        <StateIcon state={state} />
      </span>
      <Disclosure className="min-w-0 flex-1" open={state === 'running'} summary={text}>
        <ul className="flex flex-col gap-3 pb-2">
          {calls.map((call) => (
            <li key={call.toolCallId} className="min-w-0">
              {isSearch(call) ? <SearchCall call={call} /> : <PageCall call={call} />}
            </li>
          ))}
        </ul>
        {findings !== null && (
          <section aria-label={t('notes')} className="rounded-lg bg-foreground/4 px-3 py-2">
            <Markdown text={findings} isGrowing={false} sources={sources} className="md-quiet" />
          </section>
        )}
      </Disclosure>
    </li>
  )
}

function StateIcon({ state }: Pick<StepView, 'state'>) {
  const label = t(state)
  const shape = 'size-3.5 shrink-0'
  switch (state) {
    case 'running':
      return <Spinner label={label} className="text-muted-foreground" />
    case 'done':
      return <Check role="img" aria-label={label} className={`${shape} text-success`} />
    case 'failed':
      return <CircleAlert role="img" aria-label={label} className={`${shape} text-warning`} />
    case 'empty':
    case 'unfinished':
      return <CircleSlash2 role="img" aria-label={label} className={`${shape} text-muted-foreground`} />
    case 'waiting':
      return <Circle role="img" aria-label={label} className={`${shape} text-muted-foreground opacity-60`} />
  }
}
