/** Shown when a page failed: what to do, and the technical details on request. */

import { lazyPart } from '../../lib/lazy-part.ts'
import { OutdatedPageError } from '../../lib/load-chunk.ts'
import { SettingError } from '../../lib/public-urls.ts'
import { SessionError } from '../../lib/session.ts'
import { libText } from '../../lib/texts/en.ts'
import { ErrorActions } from '../../ui/error-actions.tsx'
import { t } from './texts/en.ts'

type ErrorViewProps = { readonly error: unknown; readonly onRetry?: () => void }

export function ErrorView({ error, onRetry }: ErrorViewProps) {
  return (
    <div role="alert" className="flex min-h-[60dvh] flex-1 flex-col items-center justify-center gap-4 p-6 text-center">
      <h1 className="text-title text-balance">{error instanceof OutdatedPageError ? libText('updated') : t('wentWrong')}</h1>
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

/** Loads when an address is no page. */
export const NotFoundView = lazyPart(() => import('./empty-page.tsx').then((module) => module.NotFoundView))
