/** Shown when a part of the page failed: what to do, and the technical details on request. */
import { useState } from 'react'
import { OutdatedPageError } from '../../lib/load-chunk.ts'
import { SettingError } from '../../lib/public-urls.ts'
import { SessionError } from '../../lib/session.ts'
import { Button } from '../../ui/button.tsx'

type ErrorViewProps = { readonly error: unknown; readonly onRetry?: () => void; readonly advice?: string }

export function ErrorView({ error, onRetry, advice }: ErrorViewProps) {
  const [isShown, setShown] = useState(false)
  const isOutdated = error instanceof OutdatedPageError
  return (
    <div role="alert" className="flex min-h-[60dvh] flex-1 flex-col items-center justify-center gap-4 p-6 text-center">
      <h1 className="text-lg font-semibold">{isOutdated ? 'Parley has been updated' : 'Something went wrong!'}</h1>
      <p className="max-w-md text-muted-foreground text-pretty">{advice ?? adviceFor(error)}</p>
      <div className="flex flex-wrap justify-center gap-2">
        <Button variant="primary" onClick={isOutdated || !onRetry ? () => location.reload() : onRetry}>
          {isOutdated ? 'Reload' : 'Retry'}
        </Button>
        <Button variant="ghost" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide Error' : 'Show Error'}
        </Button>
      </div>
      {isShown && (
        <pre className="max-h-80 w-full max-w-2xl overflow-auto rounded-lg bg-muted p-4 text-left font-mono text-code wrap-anywhere whitespace-pre-wrap">
          {describe(error)}
        </pre>
      )}
    </div>
  )
}

/** Errors with a message for users show it; all others show general advice. */
function adviceFor(error: unknown): string {
  if (error instanceof SessionError || error instanceof SettingError || error instanceof OutdatedPageError) return error.message
  return 'This part of the page could not be shown. Your threads are safe. Retry, or reload the page.'
}

/** The error with its causes, the stack where there is one. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const own = error.stack?.includes(error.message) ? error.stack : `${error.name}: ${error.message}`
  return error.cause === undefined ? own : `${own}\n\nCaused by: ${describe(error.cause)}`
}
