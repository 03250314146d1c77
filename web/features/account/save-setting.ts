import { useState } from 'react'
import type { SettingArgs } from '../../../worker/contract/mutators.ts'
import { refusalSentence } from '../../lib/refusals/sentence.ts'
import { type Actions, saveSettings, useActions } from '../../sync/actions.ts'

/** Saves settings. Resolves with the reason of a refusal. */
export async function saveSetting(actions: Actions, changes: SettingArgs): Promise<string | undefined> {
  const outcome = await saveSettings(actions, changes)
  return outcome.ok ? undefined : refusalSentence(outcome.refusal)
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
