import type { SettingArgs } from '../../../worker/contract/mutators.ts'
import { refusalSentence } from '../../lib/refusals/sentence.ts'
import { type Actions, saveSettings, useActions } from '../../sync/actions.ts'
import { useMarkedSave } from '../../ui/saved-mark.tsx'

/** Saves settings. Resolves with the reason of a refusal. */
export async function saveSetting(actions: Actions, changes: SettingArgs): Promise<string | undefined> {
  const outcome = await saveSettings(actions, changes)
  return outcome.ok ? undefined : refusalSentence(outcome.refusal)
}

/** Returns `save` and the props of `SavedMark`. */
export function useSetting() {
  const actions = useActions()
  return useMarkedSave((changes: SettingArgs) => saveSetting(actions, changes))
}
