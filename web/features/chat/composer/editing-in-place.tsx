/** While a message is edited where it is: the buttons of the form in the message, or a line that replaces the form below the conversation. */
import { useEffect, useRef } from 'react'
import { libText } from '../../../lib/texts/en.ts'
import { useLatest } from '../../../lib/use-stable.ts'
import { Button } from '../../../ui/button.tsx'
import { composerField } from './composer-field.tsx'
import { t } from './texts/en.ts'

type ButtonsProps = { readonly blockedReason: string | undefined; readonly onCancel: () => void; readonly onSend: () => void }

export const EditingInPlace = ({ buttons }: { readonly buttons?: ButtonsProps }) => (buttons ? <Buttons {...buttons} /> : <EditedAbove />)

function Buttons({ blockedReason, onCancel, onSend }: ButtonsProps) {
  const ref = useRef<HTMLSpanElement>(null)
  const latestCancel = useLatest(onCancel)
  useEffect(() => {
    const form = ref.current?.closest('form')
    // The field handles its own keys.
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.target instanceof HTMLTextAreaElement) return
      event.preventDefault()
      latestCancel.current()
    }
    form?.addEventListener('keydown', onKey)
    return () => form?.removeEventListener('keydown', onKey)
  }, [latestCancel])
  return (
    <span ref={ref} className="contents">
      <Button aria-label={t('cancelEditing')} onClick={onCancel}>
        {libText('cancel')}
      </Button>
      <Button variant="primary" disabledReason={blockedReason} onClick={onSend}>
        {t('saveAndSend')}
      </Button>
    </span>
  )
}

const EditedAbove = () => (
  <div className="flex min-h-13 items-center justify-between gap-3 rounded-2xl bg-raised px-4 text-muted-foreground shadow-composer">
    <p>{t('editedAbove')}</p>
    <Button variant="ghost" size="sm" onClick={showField}>
      {t('showEdited')}
    </Button>
  </div>
)

function showField(): void {
  const field = composerField()
  field?.focus({ preventScroll: true })
  field?.form?.scrollIntoView({ block: 'center' })
}
