import type { SettingArgs } from '../../../worker/contract/mutators.ts'
import { refusalSentence } from '../../lib/refusals/sentence.ts'
import { type Actions, settled } from '../../sync/actions.ts'
import { trackSettings } from '../../sync/row-changes.ts'
import { toast } from '../../ui/toaster.tsx'

/** Saves settings. Shows `saved` as a toast if it is given, and every refusal. Resolves with true if the server accepted. */
export async function saveSetting({ updateSettings }: Actions, changes: SettingArgs, savedMessage?: string): Promise<boolean> {
  const outcome = await trackSettings(changes, settled(updateSettings(changes)))
  if (!outcome.ok) toast('error', refusalSentence(outcome.refusal))
  else if (savedMessage) toast('success', savedMessage)
  return outcome.ok
}
