/** Shown when a page failed: what to do, and the technical details on request. */

import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import { OutdatedPageError } from '../../lib/load-chunk.ts'
import { usePageTitle } from '../../lib/page-head.ts'
import { SettingError } from '../../lib/public-urls.ts'
import { SessionError } from '../../lib/session.ts'
import { libText } from '../../lib/texts/en.ts'
import { buttonClass } from '../../ui/button.tsx'
import { ErrorActions } from '../../ui/error-actions.tsx'
import { t } from './texts/en.ts'

type ErrorViewProps = { readonly error: unknown; readonly onRetry?: () => void }

export function ErrorView({ error, onRetry }: ErrorViewProps) {
  return (
    <div role="alert" className="flex min-h-[60dvh] flex-1 flex-col items-center justify-center gap-4 p-6 text-center">
      <h1 className="text-xl font-semibold">{error instanceof OutdatedPageError ? libText('updated') : t('wentWrong')}</h1>
      <p className="max-w-md text-muted-foreground text-balance">{adviceFor(error)}</p>
      <ErrorActions error={error} onRetry={onRetry} />
    </div>
  )
}

/** Errors with a message for users show it; all others show general advice. */
function adviceFor(error: unknown): string {
  if (error instanceof OutdatedPageError) return libText('updatedDetail')
  if (error instanceof SessionError || error instanceof SettingError) return error.message
  return t('errorAdvice')
}

type EmptyPageProps = { readonly title: string; readonly note?: string | undefined; readonly children?: ReactNode }

export const NotFoundView = () => <EmptyPage title={t('notFound')} note={t('notFoundNote')} />

/** Replaces missing content; `children` are actions, shown before the link to a new thread. */
export function EmptyPage({ title, note, children }: EmptyPageProps) {
  usePageTitle(null)
  return (
    <div className="flex min-h-[60dvh] flex-1 flex-col items-center justify-center gap-4 p-6 text-center">
      <h1 className="text-xl font-semibold">{title}</h1>
      {note && (
        <p dir="auto" className="max-w-md text-muted-foreground text-balance wrap-anywhere">
          {note}
        </p>
      )}
      <div className="flex flex-wrap justify-center gap-2">
        {children}
        <Link to="/" className={buttonClass({ variant: children ? 'secondary' : 'primary' })}>
          {firstPaintText('newThread')}
        </Link>
      </div>
    </div>
  )
}
