import type { SettingArgs } from '../../../worker/contract/mutators.ts'
import { refusalSentence } from '../../lib/refusals/sentence.ts'
import { type Act, saveSettings, useAct } from '../../sync/act.ts'
import { useMarkedSave } from '../../ui/saved-mark.tsx'

/** Saves settings. Resolves with the reason of a refusal. */
export async function saveSetting(act: Act, changes: SettingArgs): Promise<string | undefined> {
  const outcome = await saveSettings(act, changes)
  return outcome.ok ? undefined : refusalSentence(outcome.refusal)
}

/** Returns `save` and the props of `SavedMark`. */
export function useSetting() {
  const act = useAct()
  return useMarkedSave((changes: SettingArgs) => saveSetting(act, changes))
}
