/**
 * The answers of several models to one question: side by side if there is space, otherwise a strip that scrolls from answer to answer. While
 * they scroll, the names of the models stay in view. Loads with the first comparison.
 */
import { Check, Coins, Square } from 'lucide-react'
import { useRef, useState } from 'react'
import { creditsFor } from '../../../../worker/contract/access.ts'
import { figuresOf } from '../../../../worker/contract/models/model-use.ts'
import { mutators } from '../../../../worker/contract/mutators.ts'
import type { AnswerMetadata } from '../../../../worker/contract/threads/messages.ts'
import { cx } from '../../../lib/cx.ts'
import { creditsText } from '../../../lib/format.ts'
import { publicUrls } from '../../../lib/public-urls.ts'
import { useAct } from '../../../sync/act.ts'
import { useModels } from '../../../sync/hooks.ts'
import type { ThreadWithMessages } from '../../../sync/rows.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { MakerIcon } from '../../../ui/maker-icon.tsx'
import { RetryingErrorBoundary } from '../../../ui/retrying-error-boundary.tsx'
import { Toolbar } from '../../../ui/toolbar.tsx'
import { focusComposer } from '../composer/composer-field.tsx'
import { AnswerDetails } from './answer-details.tsx'
import { AnswerContent } from './answer-view.tsx'
import { copiedText, copyButtonId } from './copy-messages.ts'
import { costText, formatDuration } from './format-use.ts'
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
      price: model && t('fromCredits', { credits: creditsText(creditsFor(model)) }),
      // The next message follows the last message of the shown branch.
      isSelected: shown.id === thread.headId,
    }
  })
  const selected = columns.find(({ isSelected }) => isSelected)
  const choose = (messageId: string) => {
    focusComposer(document.activeElement)
    void actions.show(messageId)
  }
  const [shownAt, setShownAt] = useState(0)
  return (
    <div className="@container">
      {/* Below the header of the thread while the strip scrolls. */}
      <div className="sticky top-(--header-height) z-2 -mx-4 mb-1 bg-background/86 px-4 py-2 backdrop-blur-md md:-mx-6 md:px-6 @min-[56rem]:hidden">
        <Toolbar label={t('comparison')} className="flex gap-0.5 rounded-lg bg-foreground/6 p-0.5">
          {columns.map(({ shown, name, icon }, index) => (
            <button
              key={shown.id}
              type="button"
              aria-label={t('showAnswer', { model: name })}
              aria-current={index === shownAt || undefined}
              className="flex h-8 min-w-0 flex-1 touch-target items-center justify-center gap-1 rounded-md px-1 text-xs -outline-offset-2 touch:h-11 not-aria-[current]:text-muted-foreground not-aria-[current]:hover:text-foreground aria-[current]:bg-raised aria-[current]:shadow-[0_0_0_1px_var(--border)]"
              onClick={() => stripRef.current && columnsIn(stripRef.current)[index]?.scrollIntoView({ inline: 'center', block: 'nearest' })}
            >
              <MakerIcon maker={icon} className="size-3.5 shrink-0" />
              <span className="truncate">{name}</span>
            </button>
          ))}
        </Toolbar>
      </div>
      <div
        ref={stripRef}
        onScroll={({ currentTarget }) => setShownAt(centered(currentTarget))}
        className="flex snap-x snap-mandatory items-stretch gap-3 overflow-x-auto overscroll-x-contain scroll-smooth motion-reduce:scroll-auto @min-[56rem]:grid @min-[56rem]:auto-cols-fr @min-[56rem]:grid-flow-col @min-[56rem]:overflow-visible"
      >
        {columns.map(({ shown, ...column }) => (
          <RetryingErrorBoundary key={shown.id} part="message" isGrowing={shown.kind === 'live'}>
            <ComparedAnswerView
              {...column}
              threadId={threadId}
              shown={shown}
              actions={actions}
              busyReason={busyReason}
              onStop={() => void toastIfRefused(act(mutators.threads.stop({ threadId, answerId: shown.id })))}
              onChoose={() => choose(shown.id)}
            />
          </RetryingErrorBoundary>
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

/* One answer of a comparison: its model, its text, its price and duration, and its actions. */

type ComparedAnswerViewProps = {
  readonly threadId: string
  readonly shown: ShownAnswer
  readonly name: string
  readonly icon: string
  /** The price of the model, shown until the answer has ended. */
  readonly price: string | undefined
  readonly actions: MessageActions
  /** True if the next message follows this answer. */
  readonly isSelected: boolean
  readonly busyReason: string | undefined
  readonly onStop: () => void
  readonly onChoose: () => void
}

function ComparedAnswerView(props: ComparedAnswerViewProps) {
  const { threadId, shown, name, icon, price, actions, isSelected } = props
  const [isDetailed, setDetailed] = useState(false)
  // A retry takes the place of this answer in the comparison.
  const ownActions: MessageActions = {
    ...actions,
    regenerate: (answer, choice) => actions.regenerate(answer, { ...choice, insteadOf: answer.id }),
    resume: (answer, choice) => actions.resume(answer, { ...choice, insteadOf: answer.id }),
  }
  return (
    <article
      aria-label={t('answerOf', { model: name })}
      aria-busy={shown.kind === 'live'}
      className={cx(
        // The strip scrolls, so nothing in it can stay below the header of the thread.
        'flex w-[88%] max-w-[28rem] min-w-0 shrink-0 snap-center flex-col overflow-clip rounded-xl border px-4 pb-4 [--sticky-top:auto] @min-[56rem]:w-auto @min-[56rem]:max-w-none @min-[56rem]:[--sticky-top:calc(var(--header-height)+2.75rem)]',
        isSelected && 'border-accent',
      )}
    >
      <header className="-mx-4 mb-4 flex h-11 min-w-0 shrink-0 items-center gap-2 border-b bg-background px-4 text-xs text-muted-foreground @min-[56rem]:sticky @min-[56rem]:top-(--header-height) @min-[56rem]:z-2">
        <MakerIcon maker={icon} className="size-4 shrink-0" />
        <span className="max-w-3/5 shrink-0 truncate text-sm font-medium text-foreground">{name}</span>
        <span className="ml-auto min-w-0 truncate tabular-nums">{shown.kind === 'live' ? price : costAndTime(shown.message.metadata)}</span>
      </header>
      <div className="min-w-0 flex-1">
        <AnswerContent threadId={threadId} shown={shown} actions={ownActions} busyReason={undefined} isLast isCompared />
      </div>
      <footer className="mt-3 flex min-h-9 items-center touch:min-h-11">
        <Toolbar label={t('answerActions')} className="flex flex-1 flex-wrap items-center gap-1 touch:gap-4">
          <MainButton {...props} />
          {shown.kind !== 'live' && (
            <>
              <span className="flex-1" />
              <CopyButton id={copyButtonId(shown.id)} label={t('copy')} text={() => copiedText(shown.message, publicUrls().apiUrl)} />
              <IconButton size="sm" label={t('details')} onClick={() => setDetailed(true)}>
                <Coins />
              </IconButton>
            </>
          )}
        </Toolbar>
        {shown.kind !== 'live' && isDetailed && (
          <AnswerDetails threadId={threadId} message={shown.message} onClose={() => setDetailed(false)} />
        )}
      </footer>
    </article>
  )
}

/**
 * Stops the answer, later continues with it. The answer that the thread already continues from has a mark instead. One element, so that the
 * button keeps the focus when the answer ends.
 */
function MainButton({ shown, name, isSelected, busyReason, onStop, onChoose }: ComparedAnswerViewProps) {
  const isLive = shown.kind === 'live'
  if (isSelected && !isLive)
    return (
      <Button size="sm" disabledReason={t('continuesFrom', { model: name })} className={selectedClass}>
        <Check className="size-3.5" aria-hidden="true" />
        {t('continuesHere')}
      </Button>
    )
  const stoppingReason = isLive && shown.isStopping ? t('stopping') : undefined
  return (
    <Button size="sm" disabledReason={isLive ? stoppingReason : busyReason} onClick={isLive ? onStop : onChoose}>
      {isLive && <Square className="size-3 fill-current" aria-hidden="true" />}
      {isLive ? t('stopModel', { model: name }) : t('continueWithThis')}
    </Button>
  )
}

/** A state, so without the pale look of a disabled button. */
const selectedClass = 'gap-1.5! aria-disabled:cursor-default! aria-disabled:bg-accent/12! aria-disabled:text-foreground!'

function costAndTime(metadata: AnswerMetadata): string {
  const { credits, use, durationMs } = figuresOf(metadata)
  return [creditsText(credits), use && costText(use), durationMs !== undefined && formatDuration(durationMs)].filter(Boolean).join(' · ')
}
