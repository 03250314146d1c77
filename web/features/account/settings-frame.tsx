/** The frame of the settings: the way back, the sections, the section on show. */
import { Link, useLocation } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { lastThread } from '../../stores/last-thread.ts'
import { useStore } from '../../stores/store.ts'
import { buttonClass } from '../../ui/button.tsx'

const sections = [
  { to: '/account', name: 'Account' },
  { to: '/account/subscription', name: 'Subscription' },
  { to: '/account/preferences', name: 'Preferences' },
  { to: '/account/models', name: 'Models' },
  { to: '/account/appearance', name: 'Appearance' },
] as const

export function SettingsFrame({ children }: { readonly children: ReactNode }) {
  const navRef = useRef<HTMLElement>(null)
  const threadId = useStore(lastThread)
  const pathname = useLocation({ select: (location) => location.pathname })
  // On a phone the row of sections is wider than the window.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path decides which link is the current one
  useEffect(() => {
    navRef.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest', inline: 'center', behavior: 'instant' })
  }, [pathname])
  return (
    <main className="mx-auto w-full max-w-2xl px-4 pt-[max(1rem,env(safe-area-inset-top))] pb-24 md:pt-8">
      <Link
        {...(threadId === undefined ? { to: '/' as const } : { to: '/$threadId' as const, params: { threadId } })}
        className={buttonClass({ variant: 'ghost', size: 'sm', className: '-ml-2.5 text-muted-foreground' })}
      >
        <ArrowLeft aria-hidden="true" className="size-4" />
        Back
      </Link>
      <h1 className="mt-4 text-2xl font-semibold tracking-tight">Settings</h1>
      <nav
        ref={navRef}
        aria-label="Settings"
        className="sticky top-0 z-5 -mx-4 mt-4 flex overflow-x-auto border-b bg-background/90 px-4 backdrop-blur-sm [scrollbar-width:none]"
      >
        {sections.map(({ to, name }) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: true }}
            className="-mb-px flex h-10 shrink-0 items-center border-b-2 px-3 -outline-offset-2 transition-colors touch:h-11"
            activeProps={{ className: 'border-accent text-foreground' }}
            inactiveProps={{ className: 'border-transparent text-muted-foreground hover:text-foreground' }}
          >
            {name}
          </Link>
        ))}
      </nav>
      <div className="pt-6">{children}</div>
    </main>
  )
}

type SectionProps = { readonly title: string; readonly description?: ReactNode; readonly children: ReactNode }

export function Section({ title, description, children }: SectionProps) {
  return (
    <section aria-label={title} className="mb-10">
      <h2 className="text-base font-semibold">{title}</h2>
      {description && <p className="mt-1 max-w-prose text-muted-foreground text-pretty">{description}</p>}
      <div className="mt-4">{children}</div>
    </section>
  )
}
