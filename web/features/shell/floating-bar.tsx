/** The bar that replaces a hidden sidebar. */
import { CloudOff, PanelLeft, SquarePen } from 'lucide-react'
import { useRef } from 'react'
import { cx } from '../../lib/cx.ts'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import { useOpenNewThread } from '../../lib/navigation.ts'
import { pageShortcuts } from '../../lib/shortcuts.ts'
import { storageHealth, storesEverything } from '../../lib/storage-health.ts'
import { useStore } from '../../lib/store.ts'
import { useHeightVariable } from '../../lib/viewport.ts'
import { useConnection } from '../../sync/hooks.ts'
import { useThread } from '../../sync/thread.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { chordOf } from '../../ui/kbd.tsx'
import { offlineText } from './connection-notice.tsx'
import { toggleSidebar } from './sidebar-state.ts'
import { t } from './texts/en.ts'
import { ThreadMenu } from './thread-menu.tsx'

export function FloatingBar({ threadId }: { readonly threadId: string | undefined }) {
  const { thread } = useThread(threadId)
  const openNewThread = useOpenNewThread()
  return (
    <div
      className={cx(
        'pointer-events-none absolute inset-x-0 top-0 z-5 flex items-center gap-0.5 px-2 pt-[max(0.5rem,env(safe-area-inset-top))] pb-2 *:pointer-events-auto touch:gap-3 touch:px-3.5 touch:pt-[max(0.875rem,env(safe-area-inset-top))]',
        // On narrow windows the conversation scrolls under the bar and fades before it reaches the buttons.
        'max-lg:bg-[linear-gradient(to_top,transparent,var(--background)_1rem)] max-lg:pb-5',
      )}
    >
      <IconButton label={t('openSidebar')} keys={chordOf(pageShortcuts.sidebar)} onClick={toggleSidebar}>
        <PanelLeft />
      </IconButton>
      <IconButton label={firstPaintText('newThread')} keys={chordOf(pageShortcuts.newThread)} onClick={() => openNewThread()}>
        <SquarePen />
      </IconButton>
      {thread && thread.expiresAt == null && <ThreadMenu thread={thread} size="md" />}
      <OfflineMark />
    </div>
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
    <p ref={ref} role="status" className="pointer-events-none! absolute inset-x-4 top-full flex justify-center">
      {text && (
        <span className="mb-3 inline-flex items-center gap-1.5 rounded-lg bg-raised px-2.5 py-1 text-xs text-warning shadow-float">
          <CloudOff aria-hidden="true" className="size-3.5 shrink-0" />
          {text}
        </span>
      )}
    </p>
  )
}
