/** Parts of a settings page: a titled section, and a list of read-only values by name. */
import type { ReactNode } from 'react'

type SectionProps = {
  readonly title: string
  readonly description?: ReactNode
  /** Placed next to the title. */
  readonly mark?: ReactNode
  /** Placed at the end of the title line. */
  readonly action?: ReactNode
  readonly children: ReactNode
}

export function Section({ title, description, mark, action, children }: SectionProps) {
  return (
    <section aria-label={title} className="mb-10">
      <div className="flex min-h-7 items-center justify-between gap-4">
        <div className="flex min-w-0 items-center gap-2">
          <h2 className="text-base font-semibold">{title}</h2>
          {mark}
        </div>
        {action}
      </div>
      {description && <p className="mt-1 max-w-prose text-muted-foreground text-pretty">{description}</p>}
      {children && <div className="mt-4">{children}</div>}
    </section>
  )
}

type Named = { readonly name: string; readonly children: ReactNode }

export const DefinitionList = ({ children }: { readonly children: ReactNode }) => <dl className="divide-y rounded-lg border">{children}</dl>

export function Definition({ name, children }: Named) {
  return (
    <div className="flex items-center justify-between gap-4 px-4 py-3">
      <dt className="shrink-0 text-muted-foreground">{name}</dt>
      <dd className="min-w-0 text-right wrap-anywhere">{children}</dd>
    </div>
  )
}
