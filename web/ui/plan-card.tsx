/** A plan in a box: name, state, price, and notes with actions below. */
import type { ReactNode } from 'react'
import { Badge } from './badge.tsx'

type PlanCardProps = {
  readonly name: string
  readonly badge?: { readonly tone: 'accent' | 'warning' | 'danger'; readonly text: string } | null | undefined
  readonly detail: string
  readonly children?: ReactNode
}

export function PlanCard({ name, badge, detail, children }: PlanCardProps) {
  return (
    <div className="rounded-lg border">
      <div className="flex items-center justify-between gap-4 px-4 py-3.5">
        <span className="flex items-center gap-2 font-medium">
          {name}
          {badge && <Badge tone={badge.tone}>{badge.text}</Badge>}
        </span>
        <span className="text-muted-foreground">{detail}</span>
      </div>
      {children}
    </div>
  )
}

export function PlanNote({ children, action }: { readonly children: ReactNode; readonly action?: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3 border-t px-4 py-3">
      <p className="min-w-0 flex-1 basis-56 text-pretty">{children}</p>
      {action}
    </div>
  )
}
