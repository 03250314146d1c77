/** The row of links between the parts of a page. On a phone it is wider than the window: it shows the current one, and that there are more. */
import { type ReactNode, useEffect, useRef } from 'react'
import { createId } from '../lib/create-id.ts'
import { useScrollEdges } from './use-scroll-edges.ts'

type TabBarProps = { readonly label: string; readonly children: ReactNode }

export function TabBar({ label, children }: TabBarProps) {
  const ref = useRef<HTMLDivElement>(null)
  useScrollEdges(ref)
  useEffect(() => {
    const reveal = () => {
      const scroller = ref.current
      if (!scroller) return
      // The router carries scroll positions over to the next page, by name; this one is decided here.
      scroller.dataset.scrollRestorationId = createId()
      scroller.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest', inline: 'center', behavior: 'instant' })
    }
    reveal()
    // The links learn from the router which of them is current, some time after the address has changed.
    const changed = new MutationObserver(reveal)
    if (ref.current) changed.observe(ref.current, { subtree: true, attributeFilter: ['aria-current'] })
    window.addEventListener('resize', reveal)
    return () => {
      changed.disconnect()
      window.removeEventListener('resize', reveal)
    }
  }, [])
  return (
    <nav aria-label={label} className="sticky top-0 z-5 -mx-4 mt-4 border-b bg-background/90 px-4 backdrop-blur-sm max-sm:px-0">
      <div ref={ref} className="-mb-px flex scroll-fade-x overflow-x-auto px-1 [scrollbar-width:none] sm:-mx-3 sm:px-0">
        {children}
      </div>
    </nav>
  )
}

/** For the links in it. */
export const tabLinkProps = {
  activeOptions: { exact: true },
  className: 'flex h-10 shrink-0 items-center border-b-2 px-3 -outline-offset-2 transition-colors touch:h-11',
  activeProps: { className: 'border-accent text-foreground' },
  inactiveProps: { className: 'border-transparent text-muted-foreground hover:text-foreground' },
} as const
