/** Overlays of every page: the palette, the list of shortcuts, those with a request and the PRO dialog. Each loads when first needed. */
'use no memo' // Renders rarely: in the first load, the caches of the compiler would cost more than they save.
import { useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { lazyPart } from '../lib/lazy-part.ts'
import { useOpenNewThread } from '../lib/navigation.ts'
import { closeOverlay, closeUpsell, openOverlay, useOverlay, useUpsell } from '../lib/overlays.ts'
import { useShortcuts } from '../lib/shortcuts.ts'
import { SectionErrorBoundary } from '../ui/section-error-boundary.tsx'

const CommandPalette = lazyPart(() => import('./command-palette.tsx').then((module) => module.CommandPalette), <PendingOverlay />)
const ShortcutSheet = lazyPart(
  () => import('../features/shell/shortcut-sheet.tsx').then((module) => module.ShortcutSheet),
  <PendingOverlay />,
)
const Requested = lazyPart(() => import('./requests.tsx').then((module) => module.Requested))
const UpsellDialog = lazyPart(() => import('../features/billing/upsell-dialog.tsx').then((module) => module.UpsellDialog))

/** Chosen: keys that are typed right after the shortcut may be meant for the overlay. */
const patienceMs = 1000

/**
 * Shown while an overlay loads, for example without a network. Escape cancels it. After `patienceMs` any key or press cancels it, because
 * the user has continued elsewhere: an overlay that opened then would take the focus and the typed text.
 */
function PendingOverlay() {
  useEffect(() => {
    const openedAtMs = performance.now()
    const cancel = (event: Event) => {
      const isEscape = event instanceof KeyboardEvent && event.key === 'Escape'
      if (isEscape || performance.now() - openedAtMs > patienceMs) closeOverlay()
    }
    window.addEventListener('keydown', cancel, true)
    window.addEventListener('pointerdown', cancel, true)
    return () => {
      window.removeEventListener('keydown', cancel, true)
      window.removeEventListener('pointerdown', cancel, true)
    }
  }, [])
  return null
}

export function Overlays() {
  const shown = useOverlay()
  const openNewThread = useOpenNewThread()
  useShortcuts({
    palette: () => openOverlay('palette'),
    help: () => openOverlay('shortcuts'),
    newThread: () => openNewThread(),
    temporary: () => openNewThread({ temporary: true }),
  })
  return (
    <>
      <Upsell />
      <SectionErrorBoundary part="overlay" resetKey={String(shown)} onClose={closeOverlay}>
        {shown === 'palette' && <CommandPalette onClose={closeOverlay} />}
        {typeof shown === 'object' && shown && <Requested request={shown} onClose={closeOverlay} />}
        {shown === 'shortcuts' && <ShortcutSheet onClose={closeOverlay} />}
      </SectionErrorBoundary>
    </>
  )
}

/** The PRO dialog, opened by any component. */
function Upsell() {
  const reason = useUpsell()
  const path = useLocation({ select: ({ pathname }) => pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies(path): closes when the path changes
  useEffect(() => closeUpsell, [path])
  if (reason === undefined) return null
  return (
    <SectionErrorBoundary part="dialog" onClose={closeUpsell}>
      <UpsellDialog reason={reason} />
    </SectionErrorBoundary>
  )
}
