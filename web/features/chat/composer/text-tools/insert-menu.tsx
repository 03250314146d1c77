/**
 * The list that `/` and `@` open in the composer: commands, prompts to insert, and models for this message. The field keeps the focus and names
 * the list and its active option while the list is open. Loads when the text first contains `/` or `@` at the start of a word.
 */
import { ComboboxGroup, ComboboxGroupLabel, ComboboxItem, ComboboxList, useComboboxStore } from '@ariakit/react/combobox'
import { Popover, usePopoverStore } from '@ariakit/react/popover'
import { type ReactNode, type RefObject, useEffect, useEffectEvent, useId, useLayoutEffect, useRef, useState } from 'react'
import { cx } from '../../../../lib/cx.ts'
import { openUpsell } from '../../../../lib/overlays.ts'
import { enterSends, isInputMethodKey } from '../../../../lib/shortcuts.ts'
import { useStored } from '../../../../lib/store.ts'
import { hasKeyboard } from '../../../../lib/viewport.ts'
import { Button } from '../../../../ui/button.tsx'
import { gutterPx, panelClass } from '../../../../ui/overlay-panels.tsx'
import { asChosen } from '../choose-model.ts'
import { choose as chooseFor, draftOf } from '../drafts.ts'
import { Notice } from '../notice.tsx'
import { beginChoice } from '../server-inserts/server-insert.tsx'
import { t as serverText } from '../server-inserts/texts/en.ts'
import { t } from '../texts/en.ts'
import { commandIn, type InsertOption, type Trigger, triggerAt, useInsertOptions } from './insert-options.tsx'
import { usePlaceholders, variablesIn } from './placeholders.ts'

type InsertMenuProps = {
  readonly draftKey: string
  readonly offTools: readonly string[]
  readonly fieldRef: RefObject<HTMLTextAreaElement | null>
}

export function InsertMenu({ draftKey, offTools, fieldRef }: InsertMenuProps) {
  const { trigger, dismiss } = useInsertTrigger(fieldRef)
  const options = useInsertOptions(trigger, offTools)
  const placeholders = usePlaceholders(draftKey, fieldRef)
  const listId = useId()
  const optionId = (id: string) => `${listId}-${id}`
  const [chosenId, setActiveId] = useState<string | null | undefined>(null)
  const active = options.find(({ id }) => optionId(id) === chosenId) ?? options[0]
  const isOpen = trigger !== null && active !== undefined
  const list = useComboboxStore({ open: true, activeId: active ? optionId(active.id) : null, setActiveId, includesBaseElement: false })

  const choose = (option: InsertOption) => {
    if (!trigger) return
    const { start, end } = trigger
    dismiss()
    if ((option.kind === 'model' || option.kind === 'mode') && option.offer) return openUpsell(option.offer)
    if (option.kind === 'prompt') return placeholders.insert(option.text, start, end, option.origin)
    if (option.kind === 'model')
      chooseFor(draftKey, { ...draftOf(draftKey).get().choices.switchedFrom, modelId: option.id, ...asChosen(draftKey) })
    if (option.kind === 'mode') chooseFor(draftKey, { mode: option.mode })
    placeholders.insert('', start, end)
    if (option.kind === 'link') option.open()
    if (option.kind === 'server') beginChoice({ ...option.chosen, draftKey, server: option.server })
  }
  // Typed or pasted with its message: the list has closed at the space.
  const text = useStored(draftOf(draftKey), (draft) => draft.text)
  const applyCommand = useEffectEvent(() => {
    const command = isComposing ? null : commandIn(text)
    if (!command) return
    const caret = Math.max(0, (fieldRef.current?.selectionEnd ?? 0) - command.end)
    chooseFor(draftKey, { mode: command.mode })
    placeholders.insert('', 0, command.end)
    fieldRef.current?.setSelectionRange(caret, caret)
  })
  // After the effect: the text changes synchronously, which React does not allow within an effect.
  useEffect(() => {
    if (text.startsWith('/')) queueMicrotask(() => applyCommand())
  }, [text])
  const move = (direction: 'up' | 'down') => {
    // The library sorts its items when one appears or disappears, but a query may only reorder them.
    const id = list[direction]({ renderedItems: options.map((option) => ({ id: optionId(option.id) })) })
    list.move(id)
    // The library scrolls only for a field that it renders.
    list.item(id)?.element?.scrollIntoView({ block: 'nearest' })
  }
  /** True if the key was handled here. */
  const onKey = ({ key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean => {
    if (ctrlKey || metaKey || altKey) return false
    const isEnter = key === 'Enter' && !shiftKey
    if (isOpen) {
      if (key === 'ArrowDown' || key === 'ArrowUp') move(key === 'ArrowDown' ? 'down' : 'up')
      else if (isEnter || (key === 'Tab' && !shiftKey)) choose(active)
      else if (key === 'Escape') dismiss()
      else return false
      return true
    }
    if (!placeholders.placeholder) return false
    if (key === 'Escape') placeholders.stop()
    // While variables are left, Enter selects the next one instead of sending.
    else if (key !== 'Tab' && !(isEnter && enterSends.get())) return false
    else return placeholders.move(shiftKey ? -1 : 1) || key === 'Tab'
    return true
  }
  useFieldKeys(fieldRef, onKey)
  useListAttributes(fieldRef, isOpen ? { listId, activeId: optionId(active.id) } : null)

  const { placeholder } = placeholders
  const left = placeholder ? variablesIn(placeholder.before + placeholder.after).length : 0
  return (
    <>
      {placeholder && (
        <Notice
          action={
            left > 0 && (
              // The focus stays in the field.
              <Button size="sm" onMouseDown={(event) => event.preventDefault()} onClick={() => void placeholders.move(1)}>
                {t('next')}
              </Button>
            )
          }
        >
          {t('fillIn', { name: placeholder.name, left })}
        </Notice>
      )}
      {isOpen && (
        <FieldPopover fieldRef={fieldRef} onClose={dismiss}>
          <ComboboxList
            store={list}
            id={listId}
            alwaysVisible
            aria-label={trigger.kind === 'prompt' ? t('commands') : options.at(-1)?.group ? serverText('modelsAndResources') : t('models')}
            className="max-h-72 overflow-y-auto p-1.5 outline-none"
          >
            {[...Map.groupBy(options, ({ group }) => group?.id).values()].map((grouped) => {
              const group = grouped[0]?.group
              const items = grouped.map((option) => (
                <Option key={option.id} id={optionId(option.id)} option={option} onChoose={() => choose(option)} />
              ))
              if (group === undefined) return items
              return (
                <ComboboxGroup key={group.id}>
                  <ComboboxGroupLabel dir="auto" className="truncate px-2.5 pt-2 pb-1 text-xs text-muted-foreground">
                    {group.label}
                  </ComboboxGroupLabel>
                  {items}
                </ComboboxGroup>
              )
            })}
          </ComboboxList>
        </FieldPopover>
      )}
    </>
  )
}

/** True while an input method composes a word. */
let isComposing = false
const noteComposition = ({ type }: Event) => {
  isComposing = type === 'compositionstart'
}
for (const type of ['compositionstart', 'compositionend']) document.addEventListener(type, noteComposition, true)

/** The word before the caret that opens a list. Not updated while an input method composes. */
function useInsertTrigger(fieldRef: RefObject<HTMLTextAreaElement | null>) {
  const [trigger, setTrigger] = useState<Trigger | null>(null)
  /** `start` of the word whose list the user closed. Its list opens again after the caret has left the word. */
  const dismissedRef = useRef<number | null>(null)
  useEffect(() => {
    const field = fieldRef.current
    if (!field) return undefined
    const controller = new AbortController()
    const { signal } = controller
    const update = () => {
      if (isComposing) return
      const isCaret = field.selectionStart === field.selectionEnd && document.activeElement === field
      const found = isCaret ? triggerAt(field.value, field.selectionStart) : null
      if (found?.start !== dismissedRef.current) dismissedRef.current = null
      setTrigger((before) => (dismissedRef.current !== null ? null : isSame(before, found) ? before : found))
    }
    for (const type of ['input', 'keyup', 'click', 'focus', 'compositionend', 'select']) field.addEventListener(type, update, { signal })
    field.addEventListener('blur', () => setTrigger(null), { signal })
    update()
    return () => controller.abort()
  }, [fieldRef])
  const dismiss = () => {
    dismissedRef.current = trigger?.start ?? null
    setTrigger(null)
  }
  return { trigger, dismiss }
}

const isSame = (a: Trigger | null, b: Trigger | null): boolean =>
  a?.kind === b?.kind && a?.start === b?.start && a?.end === b?.end && a?.query === b?.query

/** Runs before the key handler of the composer, which does not receive a handled key. */
function useFieldKeys(fieldRef: RefObject<HTMLTextAreaElement | null>, onKey: (event: KeyboardEvent) => boolean): void {
  const handleKey = useEffectEvent(onKey)
  useEffect(() => {
    const field = fieldRef.current
    const onKeyDown = (event: KeyboardEvent) => {
      if (isInputMethodKey(event) || !handleKey(event)) return
      event.preventDefault()
      event.stopPropagation()
    }
    field?.addEventListener('keydown', onKeyDown)
    return () => field?.removeEventListener('keydown', onKeyDown)
  }, [fieldRef])
}

/** Sets the ARIA attributes of the field while the list is open. A text area may not have the role of a combobox, nor `aria-expanded`. */
function useListAttributes(
  fieldRef: RefObject<HTMLTextAreaElement | null>,
  open: { readonly listId: string; readonly activeId: string } | null,
): void {
  const { listId, activeId } = open ?? {}
  useLayoutEffect(() => {
    const field = fieldRef.current
    if (!field || listId === undefined || activeId === undefined) return undefined
    const attributes = {
      'aria-autocomplete': 'list',
      'aria-haspopup': 'listbox',
      'aria-controls': listId,
      'aria-activedescendant': activeId,
    }
    for (const [name, value] of Object.entries(attributes)) field.setAttribute(name, value)
    return () => {
      for (const name of Object.keys(attributes)) field.removeAttribute(name)
    }
  }, [fieldRef, listId, activeId])
}

type FieldPopoverProps = {
  readonly fieldRef: RefObject<HTMLTextAreaElement | null>
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A popover above or below the composer, with its width. */
function FieldPopover({ fieldRef, onClose, children }: FieldPopoverProps) {
  const store = usePopoverStore({ open: true, setOpen: (isOpen) => !isOpen && onClose(), placement: 'top-start' })
  useLayoutEffect(() => store.setAnchorElement(fieldRef.current?.closest('form') ?? null), [store, fieldRef])
  return (
    <Popover
      store={store}
      role="presentation"
      data-at-bottom
      portal
      // The focus stays in the field.
      preserveTabOrder={false}
      // Within the landmark of the composer: screen readers list content outside landmarks as lost.
      portalElement={() => fieldRef.current?.closest<HTMLElement>('main') ?? document.body}
      sameWidth
      gutter={gutterPx}
      autoFocusOnShow={false}
      autoFocusOnHide={false}
      hideOnEscape={false}
      hideOnInteractOutside={(event) => event.target !== fieldRef.current}
      className={cx(panelClass, 'overflow-hidden rounded-xl')}
    >
      {children}
    </Popover>
  )
}

type OptionProps = { readonly id: string; readonly option: InsertOption; readonly onChoose: () => void }

const Option = ({ id, option: { kind, title, detail, icon }, onChoose }: OptionProps) => (
  <ComboboxItem
    id={id}
    focusOnHover={hasKeyboard()}
    blurOnHoverEnd={false}
    className="active-item flex min-h-9 scroll-my-1 items-center gap-3 rounded-md px-2.5 py-1.5 touch:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted-foreground"
    // The focus stays in the field.
    onMouseDown={(event) => event.preventDefault()}
    onClick={onChoose}
  >
    {icon}
    {/* Titles of a server may differ only at their end. */}
    <span dir="auto" className={cx('shrink-0 truncate font-medium', kind === 'server' ? 'max-w-[85%]' : 'max-w-[60%]')}>
      {title}
    </span>
    <span dir="auto" className="min-w-0 flex-1 truncate text-xs text-muted-foreground">
      {detail}
    </span>
  </ComboboxItem>
)
