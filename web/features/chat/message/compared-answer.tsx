/** One answer of a comparison: its model, its text, its price and duration, and its actions. */
import { Coins, Square } from 'lucide-react'
import { useState } from 'react'
import type { AnswerMetadata } from '../../../../worker/contract/threads/messages.ts'
import { cx } from '../../../lib/cx.ts'
import { creditsText } from '../../../lib/format.ts'
import { publicUrls } from '../../../lib/public-urls.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { MakerIcon } from '../../../ui/maker-icon.tsx'
import { Toolbar } from '../../../ui/toolbar.tsx'
import { AnswerDetails } from './answer-details.tsx'
import { AnswerContent } from './answer-view.tsx'
import { copiedText } from './copied-text.ts'
import { copyButtonId } from './copy-messages.ts'
import { costText, formatDuration } from './format-use.ts'
import type { ShownAnswer } from './shown-messages.ts'
import { t } from './texts/en.ts'
import type { MessageActions } from './use-message-actions.ts'

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

export function ComparedAnswerView(props: ComparedAnswerViewProps) {
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
        'flex w-[88%] max-w-[28rem] min-w-0 shrink-0 snap-center flex-col rounded-xl border p-4 @min-[56rem]:w-auto @min-[56rem]:max-w-none',
        isSelected && 'border-accent',
      )}
    >
      <header className="mb-3 flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5 text-xs text-muted-foreground">
        <MakerIcon maker={icon} className="size-4 shrink-0" />
        <span className="min-w-0 truncate text-sm font-medium text-foreground">{name}</span>
        <span className="ml-auto whitespace-nowrap tabular-nums">
          {shown.kind === 'live' ? price : costAndTime(shown.message.metadata)}
        </span>
      </header>
      <div className="min-w-0 flex-1">
        <AnswerContent threadId={threadId} shown={shown} actions={ownActions} busyReason={undefined} isLast isCompared />
      </div>
      <footer className="mt-3 flex min-h-9 items-center touch:min-h-11">
        <Toolbar label={t('answerActions')} className="flex flex-1 flex-wrap items-center gap-1 touch:gap-2">
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

/** Stops the answer, later continues with it. One element, so that the button keeps the focus when the answer ends. */
function MainButton({ shown, name, busyReason, onStop, onChoose }: ComparedAnswerViewProps) {
  const isLive = shown.kind === 'live'
  const stoppingReason = isLive && shown.isStopping ? t('stopping') : undefined
  return (
    <Button size="sm" disabledReason={isLive ? stoppingReason : busyReason} onClick={isLive ? onStop : onChoose}>
      {isLive && <Square className="size-3 fill-current" aria-hidden="true" />}
      {isLive ? t('stopModel', { model: name }) : t('continueWithThis')}
    </Button>
  )
}

const costAndTime = ({ credits, use, durationMs }: AnswerMetadata): string =>
  [creditsText(credits), use && costText(use), durationMs !== undefined && formatDuration(durationMs)].filter(Boolean).join(' · ')
