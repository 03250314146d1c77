/** On the page of a new thread: makes it a temporary chat, or a regular one again. The draft in the composer stays. */
import { useNavigate } from '@tanstack/react-router'
import { MessageCircleDashed } from 'lucide-react'
import { newDraftKey } from '../../../../../worker/contract/threads/draft-key.ts'
import { cx } from '../../../../lib/cx.ts'
import { pageShortcuts } from '../../../../lib/shortcuts.ts'
import { chordOf } from '../../../../ui/kbd.tsx'
import { tooltip } from '../../../../ui/tooltip.tsx'
import { draftOf, moveDraft } from '../../composer/drafts.ts'
import { t } from '../texts/en.ts'

export function TemporaryToggle({ isOn }: { readonly isOn: boolean }) {
  const navigate = useNavigate()
  const toggle = () => {
    const [from, to] = [newDraftKey(isOn), newDraftKey(!isOn)]
    // A running upload cannot move to another draft. `DraftSync` ends the draft on the server when the composer unmounts.
    if (draftOf(from).get().uploading.length === 0) moveDraft(from, to)
    void navigate({ to: '/', replace: true, search: isOn ? {} : { temporary: true } })
  }
  return (
    <>
      <button
        type="button"
        aria-pressed={isOn}
        {...tooltip(isOn ? undefined : t('temporaryDescription'), { keys: chordOf(pageShortcuts.temporary), describes: true })}
        className={cx(
          'absolute top-[max(0.5rem,env(safe-area-inset-top))] right-4 z-6 flex h-9 items-center gap-2 rounded-lg px-2.5 text-sm transition-colors touch:h-11',
          isOn ? 'bg-foreground/9 text-foreground' : 'text-muted-foreground hover:bg-foreground/5 hover:text-foreground',
        )}
        onClick={toggle}
      >
        <MessageCircleDashed aria-hidden="true" className={cx('size-4', isOn && 'text-accent')} />
        {t('temporary')}
      </button>
      {isOn && (
        <p
          role="status"
          className="absolute inset-x-0 top-[calc(4rem+var(--bar-notice-height,0px))] mx-auto max-w-md px-6 text-center text-muted-foreground text-balance"
        >
          {t('temporaryDescription')}
        </p>
      )}
    </>
  )
}
