import { useState } from 'react'
import type { SettingArgs } from '../../../worker/contract/mutators.ts'
import { refusalSentence } from '../../lib/refusals/sentence.ts'
import { type Actions, settled, useActions } from '../../sync/actions.ts'
import { trackSettings } from '../../sync/row-changes.ts'
import { toast } from '../../ui/toaster.tsx'

/** Saves settings. Resolves with the reason of a refusal. */
export async function saveSetting({ updateSettings }: Actions, changes: SettingArgs): Promise<string | undefined> {
  const outcome = await trackSettings(changes, settled(updateSettings(changes)))
  return outcome.ok ? undefined : refusalSentence(outcome.refusal)
}

/** For controls that close when they are used: shows a refusal as a toast. */
export async function saveSettingOrToast(actions: Actions, changes: SettingArgs): Promise<void> {
  const problem = await saveSetting(actions, changes)
  if (problem) toast('error', problem)
}

/** Returns `save` and the props of `SavedMark`. */
export function useSetting() {
  const actions = useActions()
  const [mark, setMark] = useState<{ readonly isSaved: boolean; readonly problem?: string | undefined }>({ isSaved: false })
  const save = async (changes: SettingArgs) => {
    const problem = await saveSetting(actions, changes)
    setMark({ isSaved: problem === undefined, problem })
  }
  return { mark, save: (changes: SettingArgs) => void save(changes) }
}
