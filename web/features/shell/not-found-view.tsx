import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { usePageTitle } from '../../lib/page-title.ts'
import { buttonClass } from '../../ui/button.tsx'

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
