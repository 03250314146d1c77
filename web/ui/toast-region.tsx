/** The toast area, with the constants of the specification's section 9 and our colours. Loaded by toaster.tsx only. */
import { type CSSProperties, useEffect } from 'react'
import { Toaster as SonnerToaster } from 'sonner'

const colours = {
  '--normal-bg': 'var(--raised)',
  '--normal-text': 'var(--foreground)',
  '--normal-border': 'var(--border)',
  '--border-radius': 'var(--radius-lg)',
  '--width': '356px',
  fontFamily: 'inherit',
} as CSSProperties

export function ToastRegion({ onMount }: { readonly onMount: () => void }) {
  useEffect(onMount, [onMount])
  return (
    <SonnerToaster
      theme="system"
      position="top-center"
      duration={4000}
      visibleToasts={3}
      gap={14}
      offset="24px"
      mobileOffset="16px"
      style={colours}
      toastOptions={{ classNames: { description: 'toast-description', actionButton: 'toast-action' } }}
    />
  )
}
