/** The text field of the composer. It grows with its text up to two fifths of the window, then scrolls. */
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { showMessageRequest } from '../../../lib/navigation.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import { composerShortcuts, enterSends, isInputMethodKey, isModalOpen, isSend, matches } from '../../../lib/shortcuts.ts'
import { useStore } from '../../../lib/store.ts'
import { hasKeyboard } from '../../../lib/viewport.ts'

type ComposerFieldProps = {
  readonly fieldRef: RefObject<HTMLTextAreaElement | null>
  readonly value: string
  readonly placeholder: string
  readonly onChange: (text: string, inputType: string | undefined) => void
  readonly onSubmit: () => void
  readonly onEscape: () => boolean
  /** Files pasted from the clipboard. A long text is a file without a name. */
  readonly onFiles: (files: readonly File[]) => void
}

const growsByItself = typeof CSS !== 'undefined' && CSS.supports('field-sizing', 'content')

export function ComposerField({ fieldRef, value, placeholder, onChange, onSubmit, onEscape, onFiles }: ComposerFieldProps) {
  const sends = useStore(enterSends)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => {
    const field = fieldRef.current
    if (growsByItself || !field) return
    field.style.height = 'auto'
    field.style.height = `${field.scrollHeight}px`
  }, [value])

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (isInputMethodKey(event.nativeEvent)) return
    if (isSend(event, sends)) {
      event.preventDefault()
      // Enter held on a button that moves the focus here must not send the text.
      if (!event.repeat) onSubmit()
    } else if (matches(composerShortcuts.stepBack, event) && onEscape()) event.preventDefault()
  }

  return (
    <textarea
      ref={fieldRef}
      aria-label={firstPaintText('message')}
      dir="auto"
      rows={1}
      value={value}
      placeholder={placeholder}
      enterKeyHint={sends ? 'send' : 'enter'}
      onChange={({ target, nativeEvent }) => onChange(target.value, (nativeEvent as InputEvent).inputType)}
      onKeyDown={onKeyDown}
      onPaste={(event) => {
        let files = pastedFiles(event.clipboardData)
        // As the field would insert it.
        const text = event.clipboardData.getData('text/plain').replace(/\r\n?/g, '\n')
        if (files.length === 0 && pageSettings.files && text.length > maxPastedChars) files = [new File([text], '')]
        if (files.length === 0) return
        event.preventDefault()
        onFiles(files)
      }}
      className="block field-sizing-content max-h-[40dvh] min-h-12 w-full resize-none overflow-y-auto bg-transparent px-4 pt-3.5 pb-1 text-base leading-6 outline-none placeholder:text-muted-foreground"
    />
  )
}

/**
 * The files of a paste; none if it is text. Some programs copy text together with a picture of it. File managers copy a file together with its
 * name or path as text, and some add its icon as a picture.
 */
export function pastedFiles(data: Pick<DataTransfer, 'types' | 'files' | 'getData'>): readonly File[] {
  const files = [...data.files]
  if (!data.types.includes('text/plain')) return files
  const names = new Set(
    data
      .getData('text/plain')
      .split(/[\r\n]+/)
      .filter((line) => line.trim() !== '')
      .map(fileNameIn),
  )
  const named = files.filter(({ name }) => names.has(name.normalize('NFC')))
  return named.length === names.size ? named : []
}

/** The last segment of a name, a path or a `file:` address. */
function fileNameIn(line: string): string {
  const segment = line.trim().split(/[/\\]/).at(-1) ?? ''
  if (!line.startsWith('file:')) return segment.normalize('NFC')
  try {
    return decodeURIComponent(segment).normalize('NFC')
  } catch {
    return segment
  }
}

/** Chosen: a longer text hides what the user writes around it. */
export const maxPastedChars = 4000

export const composerField = (): HTMLTextAreaElement | null => document.querySelector('[data-composer] textarea')

/**
 * Moves the focus when the focused element disappears. On touch devices, where the keyboard would cover the text, the conversation around
 * `inside` gets the focus.
 */
export function focusComposer(inside: Element | null): void {
  const target = hasKeyboard() ? composerField() : (inside?.closest('[role="log"]') ?? document.querySelector('[role="log"]'))
  if (target instanceof HTMLElement) target.focus({ preventScroll: true })
}

export function useFocusOnArrival(fieldRef: { readonly current: HTMLTextAreaElement | null }, threadId: string) {
  useEffect(() => {
    // After a search, the found message gets the focus.
    const isLookedUp = showMessageRequest.get()?.threadId === threadId
    if (hasKeyboard() && !isLookedUp && !isModalOpen()) fieldRef.current?.focus({ preventScroll: true })
  }, [fieldRef, threadId])
}

/** `place`: of the edited message, if the field stands there. A field that moves loses the focus. */
export function useFocusForEditing(
  fieldRef: { readonly current: HTMLTextAreaElement | null },
  messageId: string | undefined,
  place: Element | null,
) {
  const before = useRef<readonly [messageId: string | undefined, place: Element | null]>([undefined, null])
  useEffect(() => {
    const field = fieldRef.current
    const [lastId, lastPlace] = before.current
    before.current = [messageId, place]
    const isBack = messageId === undefined && place !== lastPlace && hasKeyboard()
    // While the conversation scrolls, the field moves without taking the focus from elsewhere.
    const isHere = messageId !== undefined && (messageId !== lastId || document.activeElement === document.body)
    if (!field || !(isBack || isHere)) return
    field.focus({ preventScroll: true })
    field.setSelectionRange(field.value.length, field.value.length)
  }, [fieldRef, messageId, place])
}
