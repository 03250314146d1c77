/** The title of a thread as a text field in the place of the title. Enter and leaving save, Escape restores. Loads when it is first needed. */
import { type KeyboardEvent, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import { titleOf } from '../../../worker/contract/display-names.ts'
import { maxTitleChars } from '../../../worker/contract/limits.ts'
import { isBlank } from '../../../worker/contract/text.ts'
import { cx } from '../../lib/cx.ts'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import { refusalSentence } from '../../lib/refusals/sentence.ts'
import { isInputMethodKey } from '../../lib/shortcuts.ts'
import type { ThreadRow } from '../../sync/rows.ts'
import { toast } from '../../ui/toaster.tsx'
import { t } from './texts/en.ts'
import { renaming } from './thread-dialogs.tsx'
import { useThreadActions } from './use-thread-actions.ts'

type TitleFieldProps = { readonly thread: ThreadRow; readonly className: string }

export function TitleField({ thread, className }: TitleFieldProps) {
  const { rename } = useThreadActions()
  const title = thread.title ?? ''
  const [was] = useState(title)
  const [value, setValue] = useState(was)
  const ref = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => ref.current?.select(), [])

  const isInvisible = value !== '' && value !== was && isBlank(value)
  const refuse = () => toast('error', refusalSentence({ code: 'title_empty' }))
  const end = (isSaved: boolean) => {
    // Removing the field with the focus can also report that the user has left it.
    if (renaming.get()?.id !== thread.id) return
    const trimmed = value.trim()
    // A title that arrived meanwhile stays if this field did not change its own.
    if (isSaved && !isBlank(value) && trimmed !== was && trimmed !== title) rename(thread.id, trimmed, title)
    if (isSaved && isInvisible) refuse()
    renaming.set(null)
  }
  // A page that opens removes the field without a blur.
  const save = useEffectEvent(() => end(true))
  useEffect(() => () => save(), [])
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (isInputMethodKey(event.nativeEvent) || (event.key !== 'Enter' && event.key !== 'Escape')) return
    // The Enter that chose the menu item may still be held.
    if (event.repeat) return
    // The sheet of the sidebar stays open.
    event.preventDefault()
    // The invisible text stays in the field, and the user continues to edit.
    if (event.key === 'Enter' && isInvisible) return refuse()
    const place = event.currentTarget.parentElement
    end(event.key === 'Enter')
    requestAnimationFrame(() => place?.querySelector<HTMLElement>('a, button')?.focus({ preventScroll: true }))
  }
  return (
    <input
      ref={ref}
      aria-label={t('title')}
      placeholder={titleOf(thread, firstPaintText)}
      dir="auto"
      maxLength={maxTitleChars}
      value={value}
      onChange={({ target }) => setValue(target.value)}
      onKeyDown={onKeyDown}
      onBlur={() => end(true)}
      className={cx('block h-8 max-w-full min-w-0 rounded-lg bg-raised input-text touch:h-11', className)}
    />
  )
}
