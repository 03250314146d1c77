/** Frame around the steps of a waiting or completed plan. */
import { Telescope } from 'lucide-react'
import type { ReactNode, Ref } from 'react'

type PlanFrameProps = {
  readonly ref?: Ref<HTMLElement>
  /** Describes the state of the plan. */
  readonly note: string
  readonly children: ReactNode
}

export const PlanFrame = ({ ref, note, children }: PlanFrameProps) => (
  <section ref={ref} aria-label="Plan of the research" className="rounded-xl border border-border bg-raised">
    <header className="flex items-center gap-2 px-4 pt-3 pb-1 text-sm">
      <Telescope className="size-4 shrink-0 text-accent" aria-hidden="true" />
      <p className="font-medium">Plan of the research</p>
    </header>
    <p className="px-4 text-xs text-pretty text-muted-foreground">{note}</p>
    {children}
  </section>
)
