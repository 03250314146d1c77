/** How an answer ended when it did not end by itself, and what can be done about it. */
import { useState } from 'react'
import type { AnswerMetadata } from '../../../worker/contract/messages.ts'
import { Button } from '../../ui/button.tsx'
import { tooltip } from '../../ui/tooltip.tsx'

type EndingNoteProps = {
  readonly metadata: AnswerMetadata
  /** Something was written before it ended, and nothing came after. */
  readonly canResume: boolean
  /** Nothing came after: answering again further up would put what did out of sight. */
  readonly canRetry: boolean
  readonly disabledReason: string | undefined
  /** What another answer costs. */
  readonly price: string | undefined
  readonly onContinue: () => void
  readonly onRetry: () => void
}

/** Going on would come to the same end. */
const tooMuch: ReadonlySet<string> = new Set(['answer_too_long', 'made_file_too_large'])

export function EndingNote({ metadata, canResume, canRetry, disabledReason, price, onContinue, onRetry }: EndingNoteProps) {
  const [isDetailShown, setDetailShown] = useState(false)
  const { ending, failure } = metadata
  if (ending === 'completed') return null
  const isFailed = ending === 'failed'
  return (
    <div className={`mt-3 mb-1 border-l-2 py-0.5 pl-4 text-sm ${isFailed ? 'border-danger' : 'border-foreground/18'}`}>
      <p className={isFailed ? 'text-foreground' : 'text-muted-foreground'}>{sentenceFor(metadata)}</p>
      <div className="mt-2 flex flex-wrap gap-1.5 empty:hidden">
        {canResume && !tooMuch.has(failure?.code ?? '') && (
          <Button size="sm" disabledReason={disabledReason} {...tooltip(price, { describes: true })} onClick={onContinue}>
            Continue
          </Button>
        )}
        {canRetry && ending !== 'stopped' && (
          <Button size="sm" disabledReason={disabledReason} {...tooltip(price, { describes: true })} onClick={onRetry}>
            Retry
          </Button>
        )}
        {failure && (
          <Button size="sm" variant="ghost" aria-expanded={isDetailShown} onClick={() => setDetailShown(!isDetailShown)}>
            {isDetailShown ? 'Hide details' : 'Show details'}
          </Button>
        )}
      </div>
      {isDetailShown && failure && (
        <pre className="mt-2 overflow-x-auto rounded-md bg-muted px-3 py-2 font-mono text-code whitespace-pre-wrap text-muted-foreground">
          {[`code: ${failure.code}`, `model: ${metadata.modelId}`].join('\n')}
        </pre>
      )}
    </div>
  )
}

function sentenceFor({ ending, failure }: AnswerMetadata): string {
  switch (ending) {
    case 'completed':
      return ''
    case 'stopped':
      return 'You stopped this answer.'
    case 'interrupted':
      return 'The answer was interrupted.'
    case 'failed':
      return failure?.message ?? 'The answer could not be written. Try again, or choose another model.'
  }
}
