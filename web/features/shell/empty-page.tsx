/** A page without its content: what is missing, and where to go. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import { usePageTitle } from '../../lib/page-head.ts'
import { buttonClass } from '../../ui/button.tsx'
import { t } from './texts/en.ts'

type EmptyPageProps = { readonly title: string; readonly note?: string | undefined; readonly children?: ReactNode }

export const NotFoundView = () => <EmptyPage title={t('notFound')} note={t('notFoundNote')} />

/** Replaces missing content; `children` are actions, shown before the link to a new thread. */
export function EmptyPage({ title, note, children }: EmptyPageProps) {
  usePageTitle(null)
  return (
    <div className="flex min-h-[60dvh] flex-1 flex-col items-center justify-center gap-4 p-6 text-center">
      <h1 className="text-title text-balance">{title}</h1>
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
