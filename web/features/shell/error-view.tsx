/** Shown when a page failed: what to do, and the technical details on request. */

import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { OutdatedPageError } from '../../lib/load-chunk.ts'
import { usePageTitle } from '../../lib/page-head.ts'
import { SettingError } from '../../lib/public-urls.ts'
import { SessionError } from '../../lib/session.ts'
import { buttonClass } from '../../ui/button.tsx'
import { ErrorActions } from '../../ui/error-actions.tsx'

type ErrorViewProps = { readonly error: unknown; readonly onRetry?: () => void; readonly advice?: string }

export function ErrorView({ error, onRetry, advice }: ErrorViewProps) {
  return (
    <div role="alert" className="flex min-h-[60dvh] flex-1 flex-col items-center justify-center gap-4 p-6 text-center">
      <h1 className="text-lg font-semibold">{error instanceof OutdatedPageError ? 'Parley has been updated' : 'Something went wrong!'}</h1>
      <p className="max-w-md text-muted-foreground text-pretty">{advice ?? adviceFor(error)}</p>
      <ErrorActions error={error} onRetry={onRetry} />
    </div>
  )
}

/** Errors with a message for users show it; all others show general advice. */
function adviceFor(error: unknown): string {
  if (error instanceof SessionError || error instanceof SettingError || error instanceof OutdatedPageError) return error.message
  return 'This part of the page could not be shown. Your threads are safe. Retry, or reload the page.'
}

type NothingHereProps = { readonly title: string; readonly note?: string | undefined; readonly children?: ReactNode }

export const NotFoundView = () => <NothingHere title="Not found" note="Nothing is here, or it is not yours to see." />

/** Replaces missing content; `children` are actions, shown before the link to a new thread. */
export function NothingHere({ title, note, children }: NothingHereProps) {
  usePageTitle(null)
  return (
    <div className="flex min-h-[60dvh] flex-1 flex-col items-center justify-center gap-4 p-6 text-center">
      <h1 className="text-lg font-semibold">{title}</h1>
      {note && (
        <p dir="auto" className="max-w-md text-muted-foreground text-pretty wrap-anywhere">
          {note}
        </p>
      )}
      <div className="flex flex-wrap justify-center gap-2">
        {children}
        <Link to="/" className={buttonClass({ variant: children ? 'secondary' : 'primary' })}>
          New thread
        </Link>
      </div>
    </div>
  )
}
