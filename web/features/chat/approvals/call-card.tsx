/** The frame of a call that waits for the user: its icon, its heading, and what is below. */
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

type CallCardProps = {
  readonly label: string
  readonly icon: LucideIcon
  readonly heading: string
  /** Below the heading. */
  readonly notes: ReactNode
  readonly children: ReactNode
}

export const CallCard = ({ label, icon: Icon, heading, notes, children }: CallCardProps) => (
  <section
    aria-label={label}
    // A control that gets the focus is not left below the header.
    className="rounded-xl border border-border bg-raised text-sm [&_:is(button,input,select,textarea,[tabindex])]:scroll-mt-36"
  >
    {/* Stays in view with the buttons, also below long contents, unless the window is low. */}
    <header className="top-(--sticky-top) z-1 flex items-start gap-2 rounded-t-xl bg-raised px-4 pt-3 pb-2 [@media(min-height:40rem)]:sticky">
      <Icon className="mt-0.5 size-4 shrink-0 text-accent" aria-hidden="true" />
      <div className="min-w-0">
        <p className="font-medium wrap-anywhere">{heading}</p>
        {notes}
      </div>
    </header>
    {children}
  </section>
)
