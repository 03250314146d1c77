/** The temporary thread of this tab: stays open while the user visits settings or organizations, and is deleted when another page opens. */
'use no memo' // Renders rarely: in the first load, the caches of the compiler would cost more than they save.
import { useNavigate } from '@tanstack/react-router'
import { MessageCircleDashed } from 'lucide-react'
import { newDraftKey } from '../../../../worker/contract/threads/draft-key.ts'
import { cx } from '../../../lib/cx.ts'
import { lazyPart } from '../../../lib/lazy-part.ts'
import { pageShortcuts } from '../../../lib/shortcuts.ts'
import { createStore, useStore } from '../../../lib/store.ts'
import { chordOf } from '../../../ui/kbd.tsx'
import { tooltip } from '../../../ui/tooltip.tsx'
import { draftOf, moveDraft } from '../composer/drafts.ts'
import { t } from './texts/en.ts'

/** Set while the thread is shown. */
export const temporaryThreadId = createStore<string | undefined>(undefined)

const TemporaryEnd = lazyPart(() => import('./temporary-end.tsx').then((module) => module.TemporaryEnd))

/** Draws nothing. */
export function TemporaryThread() {
  const threadId = useStore(temporaryThreadId)
  return threadId === undefined ? null : <TemporaryEnd threadId={threadId} />
}

/** On the page of a new thread: makes it a temporary thread, or a regular one again. The draft in the composer stays. */
export function TemporaryToggle({ isOn }: { readonly isOn: boolean }) {
  const navigate = useNavigate()
  const toggle = () => {
    const [from, to] = [newDraftKey(isOn), newDraftKey(!isOn)]
    // A running upload cannot move to another draft. `DraftSync` ends the draft on the server when the composer unmounts.
    if (draftOf(from).get().uploading.length === 0) moveDraft(from, to)
    void navigate({ to: '/', replace: true, search: isOn ? {} : { temporary: true } })
  }
  return (
    <button
      type="button"
      aria-pressed={isOn}
      {...tooltip(isOn ? undefined : t('temporaryDescription'), { keys: chordOf(pageShortcuts.temporary), describes: true })}
      className={cx(
        'flex h-9 items-center gap-2 rounded-lg px-2.5 text-sm touch-target transition-colors',
        isOn ? 'bg-foreground/9 text-foreground' : 'text-muted-foreground hover:bg-foreground/5 hover:text-foreground',
      )}
      onClick={toggle}
    >
      <MessageCircleDashed aria-hidden="true" className={cx('size-4', isOn && 'text-accent')} />
      {/* On a phone the links to log in need its room. */}
      <span className="max-sm:sr-only">{t('temporary')}</span>
    </button>
  )
}
