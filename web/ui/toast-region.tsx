/**
 * The toast region. Only toaster.tsx loads it. Toasts appear at the top center, on narrow
 * windows at the bottom, because the top holds the back link and the menus there (see toasts.css, also for open dialogs).
 */
import { useRouter } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { type CSSProperties, type RefObject, useEffect, useRef } from 'react'
import { Toaster as SonnerToaster, toast, useSonner } from 'sonner'
import { loadedLanguage } from '../lib/i18n/language.ts'
import { useStore } from '../lib/store.ts'
import { useMedia } from '../lib/viewport.ts'
import { t } from './texts/en.ts'
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

export function ToastRegion({ onMount }: { readonly onMount: (show: typeof toast) => void }) {
  'use no memo' // The region is outside of `InLanguage`, and the compiler would keep the texts of the first language.
  useStore(loadedLanguage)
  useEffect(() => onMount(toast), [onMount])
  useDismissal()
  const isNarrow = useMedia(narrowWindow)
  const ref = useFocusReturn()
  return (
    // Sonner also returns the focus when Tab leaves the toasts, which traps Tab. Stopping focus events disables this; `useFocusReturn` replaces it.
    <div ref={ref} onFocusCapture={(event) => event.stopPropagation()}>
      <SonnerToaster
        theme="system"
        containerAriaLabel={t('notifications')}
        position={isNarrow ? 'bottom-center' : 'top-center'}
        // Both, because toasts.css can move toasts to the other edge.
        swipeDirections={['top', 'bottom']}
        duration={durationMs}
        visibleToasts={maxVisible}
        gap={gapPx}
        offset={{ top: offsetPx, right: offsetPx, bottom, left: offsetPx }}
        mobileOffset={{ top: mobileOffsetPx, right: mobileOffsetPx, bottom, left: mobileOffsetPx }}
        style={style}
        closeButton
        icons={{ close: <X aria-hidden="true" /> }}
        toastOptions={{
          closeButtonAriaLabel: t('dismiss'),
          classNames: { description: 'toast-description', actionButton: 'toast-action' },
        }}
      />
    </div>
  )
}

/** Returns the focus when the toast that has it disappears. */
function useFocusReturn(): RefObject<HTMLDivElement | null> {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const region = ref.current
    if (!region) return undefined
    let last = document.activeElement
    let lastOutside = last
    const onFocus = ({ target }: FocusEvent) => {
      last = target as Element
      if (!region.contains(last)) lastOutside = last
    }
    const observer = new MutationObserver(() => {
      if (last === lastOutside || last?.isConnected || document.activeElement !== document.body) return
      if (lastOutside instanceof HTMLElement) lastOutside.focus({ preventScroll: true })
    })
    // A press outside ends the focus of a toast without a focus event if nothing else can have the focus.
    const onPress = ({ target }: PointerEvent) => {
      if (!region.contains(target as Element)) last = lastOutside
    }
    document.addEventListener('focusin', onFocus, true)
    document.addEventListener('pointerdown', onPress, true)
    observer.observe(region, { childList: true, subtree: true })
    return () => {
      document.removeEventListener('focusin', onFocus, true)
      document.removeEventListener('pointerdown', onPress, true)
      observer.disconnect()
    }
  }, [])
  return ref
}

/**
 * A navigation dismisses the toasts of earlier gestures: an action that shows a toast may itself navigate. A toast with an action stays,
 * because the action is useful on every page, and so does the toast of work that continues.
 */
function useDismissal(): void {
  const { toasts } = useSonner()
  const router = useRouter()
  const gesture = useRef(0)
  const gestureOf = useRef(new Map<string | number, number>())
  useEffect(() => {
    const before = gestureOf.current
    const passing = toasts.filter(({ action, type }) => !action && type !== 'loading')
    gestureOf.current = new Map(passing.map(({ id }) => [id, before.get(id) ?? gesture.current]))
  }, [toasts])
  useEffect(() => {
    const controller = new AbortController()
    const options = { capture: true, passive: true, signal: controller.signal }
    for (const type of ['pointerdown', 'keydown'])
      document.addEventListener(
        type,
        () => {
          gesture.current += 1
        },
        options,
      )
    const unsubscribe = router.subscribe('onBeforeNavigate', ({ pathChanged }) => {
      if (!pathChanged) return
      for (const [id, shownIn] of gestureOf.current) if (shownIn < gesture.current) toast.dismiss(id)
    })
    return () => {
      controller.abort()
      unsubscribe()
    }
  }, [router])
}
