/**
 * The toast area, with the constants of the specification's section 9 and our colours. Loaded by toaster.tsx only. At the top, where a wide
 * window has room; on a phone the way back and the menus are there, so it stands at the bottom, above what stands there (see toasts.css).
 */
import { type CSSProperties, useEffect, useSyncExternalStore } from 'react'
import { Toaster as SonnerToaster } from 'sonner'

const colours = {
  '--normal-bg': 'var(--raised)',
  '--normal-text': 'var(--foreground)',
  '--normal-border': 'var(--border)',
  '--border-radius': 'var(--radius-lg)',
  '--width': '356px',
  fontFamily: 'inherit',
} as CSSProperties

/** Where the sidebar becomes a sheet and its bar takes the top. */
const narrow = matchMedia('(width < 48rem)')
const aboveWhatStandsBelow = 'var(--toast-bottom)'
const subscribe = (listener: () => void) => {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

export function ToastRegion({ onMount }: { readonly onMount: () => void }) {
  useEffect(onMount, [onMount])
  const isNarrow = useSyncExternalStore(subscribe, () => narrow.matches)
  return (
    <SonnerToaster
      theme="system"
      position={isNarrow ? 'bottom-center' : 'top-center'}
      duration={4000}
      visibleToasts={3}
      gap={14}
      offset={{ top: '24px', bottom: aboveWhatStandsBelow }}
      mobileOffset={{ left: '16px', right: '16px', bottom: aboveWhatStandsBelow }}
      style={colours}
      toastOptions={{ classNames: { description: 'toast-description', actionButton: 'toast-action' } }}
    />
  )
}
