/** A text field that saves itself: after a pause in typing, and when the user leaves it. */

import { Check } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { TextField } from './text-field.tsx'
import { t } from './texts/en.ts'

/** Chosen: long enough to finish a word. */
const pauseMs = 1000

/** Excludes characters without a picture, such as a zero-width space. */
const visible = /[\p{L}\p{N}\p{S}\p{P}]/u

type AutosavedFieldProps = {
  readonly label: string
  readonly description?: string
  readonly maxChars: number
  /** The synced value. */
  readonly saved: string
  /** Lines of a text area; a field of one line without it. */
  readonly rows?: number | undefined
  readonly placeholder?: string
  readonly autoComplete?: string
  readonly inputMode?: 'numeric'
  readonly spellCheck?: boolean
  readonly autoCapitalize?: string
  /** Why an empty text is not saved. Without it, the text may be empty. */
  readonly emptyProblem?: string
  /** Resolves with the reason of a refusal. */
  readonly save: (value: string) => Promise<string | undefined>
}

/** `was`: the synced value when the text was sent. */
type Result = { readonly text: string; readonly was: string; readonly problem: string | undefined }

export function AutosavedField({ saved, maxChars, emptyProblem, save, rows, ...labels }: AutosavedFieldProps) {
  /** Null while unedited: the field then shows the synced value. */
  const [draft, setDraft] = useState<string | null>(null)
  const [isFocused, setFocused] = useState(false)
  /** The last text of this draft that was sent. */
  const [sent, setSent] = useState<string | null>(null)
  const [result, setResult] = useState<Result>()
  const value = draft ?? saved
  const text = value.trim()
  const isSent = text === (sent ?? saved)
  const last = result?.text === text ? result : undefined
  const isAccepted = last !== undefined && last.problem === undefined

  const saveNow = useEffectEvent(async () => {
    if (draft === null || isSent || value.length > maxChars) return
    if (emptyProblem && !visible.test(text)) return setResult({ text, was: saved, problem: emptyProblem })
    setSent(text)
    const problem = await save(text)
    setResult({ text, was: saved, problem })
    // Leaving the field again repeats what failed.
    if (problem !== undefined) setSent((current) => (current === text ? null : current))
  })
  useEffect(() => {
    if (draft === null) return undefined
    const timer = setTimeout(saveNow, isFocused ? pauseMs : 0)
    return () => clearTimeout(timer)
  }, [draft, isFocused])
  useEffect(() => {
    const onLeave = () => void saveNow()
    window.addEventListener('pagehide', onLeave)
    return () => {
      window.removeEventListener('pagehide', onLeave)
      onLeave()
    }
  }, [])
  // The server may have changed the text, for example its spaces.
  const isSynced = text === saved || (isAccepted && last.was !== saved)
  const isDone = !isFocused && isSent && isSynced
  useEffect(() => {
    if (!isDone) return
    setDraft(null)
    setSent(null)
  }, [isDone])

  const field = {
    ...labels,
    maxChars,
    value,
    error: last?.problem,
    mark: <SavedMark isSaved={isAccepted} />,
    onFocus: () => setFocused(true),
    onBlur: () => setFocused(false),
    onValueChange: setDraft,
  }
  return rows === undefined ? <TextField {...field} /> : <TextField {...field} rows={rows} />
}

/* Status of an autosaved control: a check after saving, or the reason for a refusal. */

type SavedMarkProps = { readonly isSaved: boolean; readonly problem?: string | undefined }

export const SavedMark = ({ isSaved, problem }: SavedMarkProps) => (
  <span role="status" className="flex min-w-0 items-center text-xs text-danger text-pretty">
    {problem}
    {isSaved && (
      <>
        <Check aria-hidden="true" className="size-3.5 text-success" />
        <span className="sr-only">{t('saved')}</span>
      </>
    )}
  </span>
)

/** Returns `save` and the props of `SavedMark`. `saveNow` resolves with the reason of a refusal. */
export function useMarkedSave<T>(saveNow: (changes: T) => Promise<string | undefined>) {
  const [mark, setMark] = useState<SavedMarkProps>({ isSaved: false })
  const save = async (changes: T) => {
    const problem = await saveNow(changes)
    setMark({ isSaved: problem === undefined, problem })
  }
  return { mark, save: (changes: T) => void save(changes) }
}
