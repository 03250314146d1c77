/**
 * One step of a plan, edited in place. It is saved on blur, on Enter, when the page closes, and when the step unmounts during editing (for
 * example, another device starts the plan). Escape discards the change. After a blur by a click, the layout changes only when the click has
 * ended: saving removes the line of searches or the row of an empty step, and the click would miss its target.
 */
import { X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { maxPlanStepChars } from '../../../../worker/contract/limits.ts'
import type { PlanStep } from '../../../../worker/contract/research/research.ts'
import { formatList } from '../../../lib/i18n/format-dates.ts'
import { isInputMethodKey } from '../../../lib/shortcuts.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { t } from './texts/en.ts'

type PlanStepRowProps = {
  readonly number: number
  readonly step: PlanStep
  readonly lockedReason: string | undefined
  readonly removeReason: string | undefined
  readonly onChange: (text: string) => void
  readonly onRemove: () => void
}

export function PlanStepRow({ number, step, lockedReason, removeReason, onChange, onRemove }: PlanStepRowProps) {
  return (
    <li className="flex min-w-0 items-start gap-1 rounded-lg focus-within:bg-foreground/5">
      <StepNumber>{number}</StepNumber>
      <div className="min-w-0 flex-1 py-1.5">
        <StepField label={t('step', { number })} text={step.text} isLocked={lockedReason !== undefined} onDone={onChange} />
        <Queries step={step} text="searchesFor" />
      </div>
      <IconButton
        size="sm"
        data-remove-step=""
        label={t('removeStep', { number })}
        className="mt-1"
        disabledReason={removeReason}
        onClick={onRemove}
      >
        <X />
      </IconButton>
    </li>
  )
}

/** `onDone` gets an empty text if the user cancelled. */
export function NewStep({ number, onDone }: { readonly number: number; readonly onDone: (text: string) => void }) {
  return (
    <li className="flex min-w-0 items-start gap-1 rounded-lg focus-within:bg-foreground/5">
      <StepNumber>{number}</StepNumber>
      <div className="min-w-0 flex-1 py-1.5">
        <StepField label={t('step', { number })} text="" isNew onDone={onDone} />
      </div>
    </li>
  )
}

/** A completed step. */
export function DonePlanStep({ number, step }: Pick<PlanStepRowProps, 'number' | 'step'>) {
  return (
    <li className="flex min-w-0 items-start gap-1">
      <StepNumber>{number}</StepNumber>
      <div className="min-w-0 flex-1 py-1.5 pr-2">
        <p dir="auto" className="leading-5 wrap-anywhere touch:leading-6">
          {step.text}
        </p>
        <Queries step={step} text="searchedFor" />
      </div>
    </li>
  )
}

const Queries = ({ step: { queries }, text }: { readonly step: PlanStep; readonly text: 'searchesFor' | 'searchedFor' }) =>
  queries.length > 0 && (
    <p className="pb-0.5 text-xs wrap-anywhere text-muted-foreground">
      {t(text, { queries: formatList(queries.map((query) => t('quoted', { text: query }))) })}
    </p>
  )

const StepNumber = ({ children }: { readonly children: number }) => (
  <span aria-hidden="true" className="w-7 shrink-0 pt-2 text-right text-xs leading-5 text-muted-foreground tabular-nums">
    {`${children}.`}
  </span>
)

type StepFieldProps = {
  readonly label: string
  readonly text: string
  readonly isLocked?: boolean
  readonly isNew?: boolean
  readonly onDone: (text: string) => void
}

function StepField({ label, text, isLocked = false, isNew = false, onDone }: StepFieldProps) {
  /** Null without focus: the field then shows the synced text. */
  const [draft, setDraft] = useState<string | null>(isNew ? '' : null)
  const ref = useRef<HTMLTextAreaElement>(null)
  const isCancelled = useRef(false)
  useEffect(() => {
    if (isNew) ref.current?.focus()
  }, [isNew])
  /** Neither unmount nor page close fires a blur event. */
  const unsaved = useRef<(() => void) | null>(null)
  const cancelPendingBlur = useRef<(() => void) | null>(null)
  useEffect(() => {
    const save = () => unsaved.current?.()
    window.addEventListener('pagehide', save)
    return () => {
      window.removeEventListener('pagehide', save)
      cancelPendingBlur.current?.()
      save()
    }
  }, [])
  const leave = () => {
    const kept = isCancelled.current ? '' : (draft ?? '')
    isCancelled.current = false
    unsaved.current = null
    setDraft(null)
    const next = oneLine(kept)
    if (isNew || (next !== '' && next !== text)) onDone(next)
  }
  const write = (value: string) => {
    const next = oneLine(value)
    unsaved.current = next === '' || next === text ? null : () => onDone(next)
    setDraft(value)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (isInputMethodKey(event.nativeEvent)) return
    if (event.key !== 'Escape' && event.key !== 'Enter') return
    isCancelled.current = event.key === 'Escape'
    event.preventDefault()
    event.stopPropagation()
    event.currentTarget.blur()
  }
  return (
    <textarea
      ref={ref}
      aria-label={label}
      dir="auto"
      rows={1}
      maxLength={maxPlanStepChars}
      placeholder={isNew ? t('addStep') : undefined}
      readOnly={isLocked}
      value={draft ?? text}
      onFocus={() => !isLocked && setDraft((now) => now ?? text)}
      onChange={(event) => write(event.target.value)}
      onBlur={() => {
        cancelPendingBlur.current = afterPress(leave)
      }}
      onKeyDown={onKeyDown}
      className="block field-sizing-content w-full resize-none rounded-md bg-transparent input-text leading-5 outline-none touch:leading-6"
    />
  )
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/**
 * Delays the layout changes of a blur until the press that caused it has ended. Otherwise the pressed element could move between pointer
 * down and up, and no click would fire. Mouse events cover touch as well, because browsers emit them before they move the focus. The
 * delayed work runs before the click handler.
 */
const ends = ['mouseup', 'contextmenu', 'dragend', 'pointercancel', 'keydown', 'blur'] as const
const captureOptions = { capture: true, passive: true } as const

let isDown = false
const waiting = new Set<() => void>()

function end(event: Event): void {
  // Focus moves within the page do not reach this listener as blur of the window; only the page losing the focus does.
  if (event.type === 'blur' && event.target !== window) return
  isDown = false
  const due = [...waiting]
  waiting.clear()
  for (const run of due) run()
}

if (typeof window !== 'undefined') {
  window.addEventListener('mousedown', ({ button }) => (isDown = button === 0), captureOptions)
  for (const name of ends) window.addEventListener(name, end, captureOptions)
}

/** Runs at once when nothing is pressed. Returns a function that cancels it. */
function afterPress(run: () => void): () => void {
  if (!isDown) {
    run()
    return () => undefined
  }
  waiting.add(run)
  return () => waiting.delete(run)
}
