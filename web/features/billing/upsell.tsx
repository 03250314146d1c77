/** Opens the PRO dialog on request. The dialog's code loads then. */
import { useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { lazyPart } from '../../lib/lazy-part.ts'
import { closeUpsell, useUpsell } from '../../lib/overlays.ts'
import { SectionErrorBoundary } from '../../ui/section-error-boundary.tsx'

const UpsellDialog = lazyPart(() => import('./upsell-dialog.tsx').then((module) => module.UpsellDialog))

export function Upsell() {
  const isOffered = useUpsell()
  const path = useLocation({ select: ({ pathname }) => pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies(path): closes when the path changes
  useEffect(() => closeUpsell, [path])
  if (!isOffered) return null
  return (
    <SectionErrorBoundary part="dialog" onClose={closeUpsell}>
      <UpsellDialog />
    </SectionErrorBoundary>
  )
}
