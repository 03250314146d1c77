/** Below an error message: a retry button, and the technical details on request. */
import { useState } from 'react'
import { lazyPart } from '../lib/lazy-part.ts'
import { OutdatedPageError } from '../lib/load-chunk.ts'
import { libText } from '../lib/texts/en.ts'
import { Button } from './button.tsx'
import { t } from './texts/en.ts'

const ErrorDetails = lazyPart(() => import('./error-details.tsx').then((module) => module.ErrorDetails))

type ErrorActionsProps = {
  readonly error: unknown
  /** Undefined: the button reloads the page. */
  readonly onRetry: (() => void) | undefined
  readonly onClose?: (() => void) | undefined
  readonly size?: 'sm' | 'md'
}

export function ErrorActions({ error, onRetry, onClose, size = 'md' }: ErrorActionsProps) {
  const [isShown, setShown] = useState(false)
  const isOutdated = error instanceof OutdatedPageError
  return (
    <>
      <div className={`flex flex-wrap gap-2 ${size === 'md' ? 'justify-center' : ''}`}>
        <Button
          size={size}
          variant={size === 'md' ? 'primary' : 'secondary'}
          onClick={isOutdated || !onRetry ? () => location.reload() : onRetry}
        >
          {isOutdated ? libText('reload') : t('retry')}
        </Button>
        <Button size={size} variant="ghost" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {t(isShown ? 'hideError' : 'showError')}
        </Button>
        {onClose && (
          <Button size={size} variant="ghost" onClick={onClose}>
            {libText('close')}
          </Button>
        )}
      </div>
      {isShown && <ErrorDetails error={error} />}
    </>
  )
}
