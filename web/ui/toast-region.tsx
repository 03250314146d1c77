/**
 * The toast region with the constants of specification section 9. Only toaster.tsx loads it. Toasts appear at the top center, on narrow
 * windows at the bottom, because the top holds the back link and the menus there (see toasts.css).
 */
import { type CSSProperties, useEffect, useSyncExternalStore } from 'react'
import { Toaster as SonnerToaster } from 'sonner'
import { narrowWindow } from './toaster.tsx'

const durationMs = 4000
const maxVisible = 3
const widthPx = 356
const gapPx = 14
const offsetPx = 24
const mobileOffsetPx = 16

const style = {
  '--normal-bg': 'var(--raised)',
  '--normal-text': 'var(--foreground)',
  '--normal-border': 'var(--border)',
  '--border-radius': 'var(--radius-lg)',
  '--width': `${widthPx}px`,
  '--toast-offset': `${offsetPx}px`,
  '--toast-mobile-offset': `${mobileOffsetPx}px`,
  fontFamily: 'inherit',
} as CSSProperties

/** The offset from the window's edge, or from the composer if the page has one. */
const bottom = 'var(--toast-bottom)'

const narrow = matchMedia(narrowWindow)
const onNarrowChange = (listener: () => void) => {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

export function ToastRegion({ onMount }: { readonly onMount: () => void }) {
  useEffect(onMount, [onMount])
  const isNarrow = useSyncExternalStore(onNarrowChange, () => narrow.matches)
  return (
    <SonnerToaster
      theme="system"
      position={isNarrow ? 'bottom-center' : 'top-center'}
      duration={durationMs}
      visibleToasts={maxVisible}
      gap={gapPx}
      offset={{ top: offsetPx, right: offsetPx, bottom, left: offsetPx }}
      mobileOffset={{ top: mobileOffsetPx, right: mobileOffsetPx, bottom, left: mobileOffsetPx }}
      style={style}
      toastOptions={{ classNames: { description: 'toast-description', actionButton: 'toast-action' } }}
    />
  )
}
