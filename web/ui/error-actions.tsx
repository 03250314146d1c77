/** Below an error message: a retry button, and the technical details on request. */
import { useState } from 'react'
import { OutdatedPageError } from '../lib/load-chunk.ts'
import { libText } from '../lib/texts/en.ts'
import { Button } from './button.tsx'
import { t } from './texts/en.ts'

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
      {isShown && (
        <pre className="max-h-80 w-full max-w-2xl overflow-auto rounded-lg bg-muted p-4 text-left font-mono text-code wrap-anywhere whitespace-pre-wrap">
          {describe(error)}
        </pre>
      )}
    </>
  )
}

/** The error with its causes and the stack. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const own = error.stack?.includes(error.message) ? error.stack : `${error.name}: ${error.message}`
  return error.cause === undefined ? own : `${own}\n\nCaused by: ${describe(error.cause)}`
}
