/** The bar that replaces a hidden sidebar. On a thread its buttons are in the header of the thread. */
'use no memo' // Renders rarely: in the first load, the caches of the compiler would cost more than they save.
import { CloudOff, PanelLeft, SquarePen } from 'lucide-react'
import { useRef } from 'react'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import { useOpenNewThread } from '../../lib/navigation.ts'
import { pageShortcuts } from '../../lib/shortcuts.ts'
import { storageHealth, storesEverything } from '../../lib/storage-health.ts'
import { createStore, useStore } from '../../lib/store.ts'
import { useHeightVariable } from '../../lib/viewport.ts'
import { useConnection } from '../../sync/hooks.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { chordOf } from '../../ui/kbd.tsx'
import { offlineText } from './connection-notice.tsx'
import { toggleSidebar } from './sidebar-state.ts'
import { t } from './texts/en.ts'

/** Set while the page shows the header of a thread. */
export const hasThreadHeader = createStore(false)

export function FloatingBar() {
  const isReplaced = useStore(hasThreadHeader)
  return (
    <div className="pointer-events-none absolute inset-x-0 top-0 z-5 h-(--header-height)">
      {!isReplaced && (
        // On narrow windows the page scrolls under the bar and fades before it reaches the buttons.
        <div className="flex h-full items-center gap-0.5 px-2 pt-[env(safe-area-inset-top)] *:pointer-events-auto before:absolute before:inset-x-0 before:top-0 before:-bottom-3 before:-z-1 before:bg-[linear-gradient(to_top,transparent,var(--background)_1rem)] touch:gap-3 touch:px-3.5 lg:before:hidden">
          <OpenSidebarButton />
          <NewThreadButton />
        </div>
      )}
      <OfflineMark />
    </div>
  )
}

export const OpenSidebarButton = () => (
  <IconButton label={t('openSidebar')} keys={chordOf(pageShortcuts.sidebar)} onClick={toggleSidebar}>
    <PanelLeft />
  </IconButton>
)

export function NewThreadButton() {
  const openNewThread = useOpenNewThread()
  return (
    <IconButton label={firstPaintText('newThread')} keys={chordOf(pageShortcuts.newThread)} onClick={() => openNewThread()}>
      <SquarePen />
    </IconButton>
  )
}

/** Replaces the notice of the hidden sidebar. */
function OfflineMark() {
  const { status } = useConnection()
  const health = useStore(storageHealth)
  const text = status === 'offline' ? offlineText(storesEverything(health)) : status === 'error' ? t('connectionStoppedDescription') : null
  const ref = useRef<HTMLParagraphElement>(null)
  // Pages without a composer start below it.
  useHeightVariable(ref, '--bar-notice-height')
  return (
    <p ref={ref} role="status" className="absolute inset-x-4 top-full flex justify-center">
      {text && (
        <span className="mb-3 inline-flex items-center gap-1.5 rounded-lg bg-raised px-2.5 py-1 text-xs text-warning shadow-float">
          <CloudOff aria-hidden="true" className="size-3.5 shrink-0" />
          {text}
        </span>
      )}
    </p>
  )
}
