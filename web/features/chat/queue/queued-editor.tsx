/**
 * Editor of a queued message. The server does not send the message while it is open. Changes by other devices appear below the text and can
 * be applied.
 */
import { type KeyboardEvent, useLayoutEffect, useRef } from 'react'
import { isBlank } from '../../../../worker/contract/is-blank.ts'
import { maxMessageChars } from '../../../../worker/contract/limits.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { enterSends, isInputMethodKey, isSend } from '../../../lib/shortcuts.ts'
import { useStore } from '../../../lib/store.ts'
import { libText } from '../../../lib/texts/en.ts'
import { Button } from '../../../ui/button.tsx'
import { focusComposer } from '../composer/composer-field.tsx'
import { changeQueuedEdit, type QueuedEdit } from './queued-edits.ts'
import { t } from './texts/en.ts'

type QueuedEditorProps = {
  readonly id: string
  readonly edit: QueuedEdit
  /** The current text of the message. */
  readonly text: string
  readonly mayBeEmpty: boolean
  readonly onSave: () => void
  readonly onCancel: () => void
}

export function QueuedEditor({ id, edit, text, mayBeEmpty, onSave, onCancel }: QueuedEditorProps) {
  const fieldRef = useRef<HTMLTextAreaElement>(null)
  useFocusComposerOnUnmount(fieldRef)
  const sends = useStore(enterSends)
  const value = edit.text
  const isChangedElsewhere = text !== edit.was && text !== value
  const problem = problemOf(value, mayBeEmpty) ?? (isChangedElsewhere ? t('chooseText') : undefined)
  const choose = (changes: Partial<QueuedEdit>) => {
    changeQueuedEdit(id, { ...changes, was: text })
    fieldRef.current?.focus({ preventScroll: true })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isInputMethodKey(event.nativeEvent)) return
    if (event.key === 'Escape') onCancel()
    else if (!isSend(event, sends)) return
    // The Enter that opened the editor may still be held.
    else if (!problem && !event.repeat) onSave()
    event.preventDefault()
  }
  return (
    <div className="flex flex-col gap-2">
      <textarea
        ref={fieldRef}
        // biome-ignore lint/a11y/noAutofocus: it appears because the user asked to edit
        autoFocus
        aria-label={t('messageText')}
        dir="auto"
        rows={2}
        value={value}
        onChange={(event) => changeQueuedEdit(id, { text: event.target.value })}
        onKeyDown={onKeyDown}
        className="block field-sizing-content max-h-60 w-full resize-none bg-transparent text-base leading-6 outline-none"
      />
      {isChangedElsewhere && (
        <div role="status" className="flex flex-col gap-2 border-l-2 border-warning py-0.5 pl-3 text-sm">
          <p>{t('editedElsewhere')}</p>
          <p dir="auto" className="line-clamp-6 wrap-anywhere whitespace-pre-wrap text-muted-foreground [unicode-bidi:plaintext]">
            {text === '' ? t('onlyFiles') : text}
          </p>
          <div className="flex flex-wrap gap-1.5">
            <Button size="sm" onClick={() => choose({ text })}>
              {t('useVersion')}
            </Button>
            <Button size="sm" onClick={() => choose({})}>
              {t('keepMine')}
            </Button>
          </div>
        </div>
      )}
      <div className="flex justify-end gap-1.5">
        <Button size="sm" variant="ghost" onClick={onCancel}>
          {libText('cancel')}
        </Button>
        <Button size="sm" variant="primary" disabledReason={problem} onClick={onSave}>
          {t('save')}
        </Button>
      </div>
    </div>
  )
}

function problemOf(value: string, mayBeEmpty: boolean): string | undefined {
  if (isBlank(value) && !mayBeEmpty) return refusalSentence({ code: 'message_empty' })
  return value.length > maxMessageChars ? t('tooLong') : undefined
}

/** If the message is sent during editing, its text moves to the composer, and so does the focus. */
function useFocusComposerOnUnmount(fieldRef: { readonly current: HTMLTextAreaElement | null }): void {
  useLayoutEffect(() => {
    const field = fieldRef.current
    return () => {
      if (document.activeElement !== field) return
      // After saving or cancelling, the focus moves to the pencil button, which is mounted by then.
      queueMicrotask(() => document.activeElement === document.body && focusComposer(null))
    }
  }, [fieldRef])
}
