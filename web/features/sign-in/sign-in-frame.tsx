import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { allowGuest } from '../../lib/browser-session.ts'
import { usePageTitle } from '../../lib/page-head.ts'
import { t } from './texts/en.ts'

type SignInFrameProps = { readonly title: string; readonly lead?: ReactNode; readonly children: ReactNode }

/** A short centred page for use outside of a session. */
export function SignInFrame({ title, lead, children }: SignInFrameProps) {
  usePageTitle(null)
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-sm flex-col gap-5 px-5 pt-[20dvh] pb-10">
      <header className="flex flex-col gap-2 text-center">
        <Link
          to="/"
          onClick={allowGuest}
          className="mx-auto mb-1 flex size-11 items-center justify-center rounded-xl"
          aria-label={t('home')}
        >
          <img src="/favicon.svg" alt="" width={36} height={36} />
        </Link>
        <h1 className="text-title text-balance wrap-anywhere">{title}</h1>
        {lead && <p className="text-muted-foreground text-pretty wrap-anywhere">{lead}</p>}
      </header>
      {children}
    </main>
  )
}
