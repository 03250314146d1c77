/** The frame of every team screen: the way back and the page's head. */
import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { usePageTitle } from '../../lib/page-title.ts'
import { useWayBack } from '../../stores/last-thread.ts'
import { buttonClass } from '../../ui/button.tsx'

const backClass = buttonClass({ variant: 'ghost', size: 'sm', className: '-ml-2.5 text-muted-foreground' })

type TeamFrameProps = { readonly title: string; readonly head: ReactNode; readonly isHome?: boolean; readonly children: ReactNode }

export function TeamFrame({ title, head, isHome = false, children }: TeamFrameProps) {
  usePageTitle(title)
  const wayBack = useWayBack()
  return (
    <main className="mx-auto w-full max-w-2xl px-4 pt-[max(1rem,env(safe-area-inset-top))] pb-24 md:pt-8">
      {isHome ? (
        <Link {...wayBack} className={backClass}>
          <ArrowLeft aria-hidden="true" className="size-4" />
          Back
        </Link>
      ) : (
        <Link to="/team" className={backClass}>
          <ArrowLeft aria-hidden="true" className="size-4" />
          Organizations
        </Link>
      )}
      {head}
      {children}
    </main>
  )
}
