/** A list of read-only facts by name. */
import type { ReactNode } from 'react'

type Named = { readonly name: string; readonly children: ReactNode }

export const Facts = ({ children }: { readonly children: ReactNode }) => <dl className="divide-y rounded-lg border">{children}</dl>

export function Fact({ name, children }: Named) {
  return (
    <div className="flex items-center justify-between gap-4 px-4 py-3">
      <dt className="shrink-0 text-muted-foreground">{name}</dt>
      <dd className="min-w-0 text-right wrap-anywhere">{children}</dd>
    </div>
  )
}
