/** Frame of every team screen: back link and heading. */
import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { useBackLink } from '../../lib/navigation.ts'
import { usePageTitle } from '../../lib/page-head.ts'
import { buttonClass } from '../../ui/button.tsx'
import { PageColumn } from '../../ui/page-column.tsx'
import { t } from './texts/en.ts'

const backClass = buttonClass({ variant: 'ghost', size: 'sm', className: '-ml-2.5 text-muted-foreground' })

type TeamFrameProps = { readonly head: ReactNode; readonly isHome?: boolean; readonly children: ReactNode }

export function TeamFrame({ head, isHome = false, children }: TeamFrameProps) {
  usePageTitle(null)
  const wayBack = useBackLink()
  return (
    <PageColumn>
      {isHome ? (
        <Link {...wayBack} className={backClass}>
          <ArrowLeft aria-hidden="true" className="size-4" />
          {t('back')}
        </Link>
      ) : (
        <Link to="/team" className={backClass}>
          <ArrowLeft aria-hidden="true" className="size-4" />
          {t('organizations')}
        </Link>
      )}
      {head}
      {children}
    </PageColumn>
  )
}
