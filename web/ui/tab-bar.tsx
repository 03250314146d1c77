/** The row of links between the parts of a page. On a phone it is wider than the window and shows the current one. */
import { type ReactNode, useEffect, useRef } from 'react'

type TabBarProps = { readonly label: string; readonly pathname: string; readonly children: ReactNode }

export function TabBar({ label, pathname, children }: TabBarProps) {
  const ref = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path decides which link is the current one
  useEffect(() => {
    const reveal = () =>
      ref.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest', inline: 'center', behavior: 'instant' })
    reveal()
    window.addEventListener('resize', reveal)
    return () => window.removeEventListener('resize', reveal)
  }, [pathname])
  return (
    <nav
      ref={ref}
      aria-label={label}
      className="sticky top-0 z-5 -mx-4 mt-4 flex overflow-x-auto border-b bg-background/90 px-4 backdrop-blur-sm [scrollbar-width:none]"
    >
      {children}
    </nav>
  )
}

/** For the links in it. */
export const tabLinkProps = {
  activeOptions: { exact: true },
  className: '-mb-px flex h-10 shrink-0 items-center border-b-2 px-3 -outline-offset-2 transition-colors touch:h-11',
  activeProps: { className: 'border-accent text-foreground' },
  inactiveProps: { className: 'border-transparent text-muted-foreground hover:text-foreground' },
} as const
