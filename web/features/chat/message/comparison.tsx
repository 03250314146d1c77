/**
 * The answers of several models to one question: side by side if there is space, otherwise a strip that scrolls from answer to answer. Loads with
 * the first comparison.
 */
import { useRef, useState } from 'react'
import { creditsFor } from '../../../../worker/contract/access.ts'
import { mutators } from '../../../../worker/contract/mutators.ts'
import { cx } from '../../../lib/cx.ts'
import { creditsText } from '../../../lib/format.ts'
import { useAct } from '../../../sync/act.ts'
import { useModels } from '../../../sync/hooks.ts'
import type { ThreadWithMessages } from '../../../sync/rows.ts'
import { MakerIcon } from '../../../ui/maker-icon.tsx'
import { SectionErrorBoundary } from '../../../ui/section-error-boundary.tsx'
import { focusComposer } from '../composer/composer-field.tsx'
import { ComparedAnswerView } from './compared-answer.tsx'
import type { ShownAnswer } from './shown-messages.ts'
import { t } from './texts/en.ts'
import { type MessageActions, toastIfRefused } from './use-message-actions.ts'

type ComparisonProps = {
  readonly threadId: string
  readonly thread: Pick<ThreadWithMessages, 'headId' | 'compared'>
  readonly answers: readonly ShownAnswer[]
  readonly actions: MessageActions
  /** The reason why no answer can be chosen now. */
  readonly busyReason: string | undefined
}

export function Comparison({ threadId, thread, answers, actions, busyReason }: ComparisonProps) {
  const { models } = useModels()
  const act = useAct()
  const stripRef = useRef<HTMLDivElement>(null)
  const finished = useFinished(answers)
  const columns = answers.map((shown) => {
    const modelId = shown.kind === 'live' ? thread.compared?.find(({ id }) => id === shown.id)?.modelId : shown.message.metadata.modelId
    const model = models.find(({ id }) => id === modelId)
    const stored = shown.kind === 'answer' ? shown.message.metadata : undefined
    return {
      shown,
      name: stored?.modelName ?? model?.name ?? t('unknownModel'),
      icon: stored?.modelIcon ?? model?.icon ?? '',
      price: model && creditsText(creditsFor(model)),
    }
  })
  const selected = columns.find(({ shown }) => shown.id === thread.headId)
  const choose = (messageId: string) => {
    focusComposer(document.activeElement)
    void actions.show(messageId)
  }
  const [shownAt, setShownAt] = useState(0)
  return (
    <div className="@container">
      <nav aria-label={t('comparison')} className="mb-2 flex gap-1 overflow-x-auto @min-[56rem]:hidden">
        {columns.map(({ shown, name, icon }, index) => (
          <button
            key={shown.id}
            type="button"
            aria-label={t('showAnswer', { model: name })}
            aria-current={index === shownAt || undefined}
            className={cx(
              'flex h-9 min-w-0 flex-1 touch-target items-center justify-center gap-1.5 rounded-lg px-2 text-xs -outline-offset-2 touch:h-11',
              index === shownAt ? 'bg-foreground/9 text-foreground' : 'text-muted-foreground hover:bg-foreground/6',
            )}
            onClick={() => stripRef.current && columnsIn(stripRef.current)[index]?.scrollIntoView({ inline: 'center', block: 'nearest' })}
          >
            <MakerIcon maker={icon} className="size-3.5 shrink-0" />
            <span className="truncate">{name}</span>
          </button>
        ))}
      </nav>
      <div
        ref={stripRef}
        onScroll={({ currentTarget }) => setShownAt(centered(currentTarget))}
        className="flex snap-x snap-mandatory items-stretch gap-3 overflow-x-auto overscroll-x-contain scroll-smooth motion-reduce:scroll-auto @min-[56rem]:grid @min-[56rem]:auto-cols-fr @min-[56rem]:grid-flow-col"
      >
        {columns.map(({ shown, ...column }) => (
          <SectionErrorBoundary key={shown.id} part="message" isGrowing={shown.kind === 'live'}>
            <ComparedAnswerView
              {...column}
              threadId={threadId}
              shown={shown}
              actions={actions}
              isSelected={shown.id === thread.headId}
              busyReason={busyReason}
              onStop={() => void toastIfRefused(act(mutators.threads.stop({ threadId, answerId: shown.id })))}
              onChoose={() => choose(shown.id)}
            />
          </SectionErrorBoundary>
        ))}
      </div>
      <p className="mt-3 min-h-5 text-center text-xs text-muted-foreground text-pretty">
        {selected && t('continuesFrom', { model: selected.name })}
      </p>
      <div role="status" className="sr-only">
        {columns.flatMap(({ shown, name }) => (finished.has(shown.id) ? <p key={shown.id}>{t('answerFinished', { model: name })}</p> : []))}
      </div>
    </div>
  )
}

/** Ids of the answers that ended while the comparison was open. */
function useFinished(answers: readonly ShownAnswer[]): ReadonlySet<string> {
  const [seenLive, setSeenLive] = useState<ReadonlySet<string>>(new Set())
  const isNew = ({ kind, id }: ShownAnswer) => kind === 'live' && !seenLive.has(id)
  if (answers.some(isNew)) setSeenLive(new Set([...seenLive, ...answers.filter(isNew).map(({ id }) => id)]))
  return new Set(answers.flatMap(({ kind, id }) => (kind === 'answer' && seenLive.has(id) ? [id] : [])))
}

/** The boundary of a column has no box. */
const columnsIn = (strip: HTMLElement): readonly Element[] => [...strip.children].map((boundary) => boundary.firstElementChild ?? boundary)

/** Index of the column in the middle of the strip. */
function centered(strip: HTMLElement): number {
  const middle = strip.getBoundingClientRect().left + strip.clientWidth / 2
  const boxes = columnsIn(strip).map((column) => column.getBoundingClientRect())
  return Math.max(
    0,
    boxes.findIndex(({ right }) => right > middle),
  )
}
