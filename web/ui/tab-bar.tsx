/**
 * Pages as tabs: each tab is a link to its page, and the tab panel is the page. Arrow keys move between tabs, Enter opens one. On a phone the
 * row is wider than the window; it scrolls to the current tab and indicates hidden tabs.
 */
import { Tab, TabList, TabPanel, TabProvider } from '@ariakit/react/tab'
import { useLocation } from '@tanstack/react-router'
import { type ReactElement, type ReactNode, useEffect, useRef } from 'react'
import { createId } from '../lib/create-id.ts'
import { useScrollEdges } from './use-scroll-edges.ts'

const usePath = () => useLocation({ select: ({ pathname }) => pathname })

/** Around a `TabBar` and the `TabPage`. */
export const Tabs = ({ children }: { readonly children: ReactNode }) => (
  <TabProvider selectedId={usePath()} selectOnMove={false}>
    {children}
  </TabProvider>
)

export function TabBar({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null)
  const path = usePath()
  useScrollEdges(ref)
  useEffect(() => {
    const reveal = () => {
      const scroller = ref.current
      if (!scroller) return
      // The router restores scroll positions on the next page by this id. A new id keeps the position that is set here.
      scroller.dataset.scrollRestorationId = createId()
      document.getElementById(path)?.scrollIntoView({ block: 'nearest', inline: 'center', behavior: 'instant' })
    }
    reveal()
    window.addEventListener('resize', reveal)
    return () => window.removeEventListener('resize', reveal)
  }, [path])
  return (
    <div className="top-0 z-5 -mx-4 mt-4 lg:sticky border-b bg-background/90 px-4 backdrop-blur-sm max-sm:px-0">
      <TabList
        ref={ref}
        aria-label={label}
        className="-mb-px flex scroll-fade-x overflow-x-auto px-1 [scrollbar-width:none] sm:-mx-3 sm:px-0"
      >
        {children}
      </TabList>
    </div>
  )
}

type TabLinkProps = { readonly path: string; readonly link: ReactElement; readonly children: string }

export const TabLink = ({ path, link, children }: TabLinkProps) => (
  <Tab
    id={path}
    render={link}
    className="flex h-9 shrink-0 items-center border-b-2 border-transparent px-3 -outline-offset-2 transition-colors not-aria-selected:text-muted-foreground not-aria-selected:hover:text-foreground aria-selected:border-accent touch:h-11"
  >
    {children}
  </Tab>
)

export const TabPage = ({ children }: { readonly children: ReactNode }) => (
  <TabPanel tabId={usePath()} className="pt-6">
    {children}
  </TabPanel>
)
