/** Status of an autosaved control: a check after saving, or the reason for a refusal. */
import { Check } from 'lucide-react'
import { useState } from 'react'
import { t } from './texts/en.ts'

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
