import type { SettingArgs } from '../../../worker/contract/mutators.ts'
import { trackSettings } from '../../stores/row-changes.ts'
import type { Actions } from '../../sync/actions.ts'
import { settled } from '../../sync/actions.ts'
import { toast } from '../../ui/toaster.tsx'

/** Saves and says so when asked to; a refusal is always told. True when the server has it. */
export async function saveSetting({ updateSettings }: Actions, changes: SettingArgs, savedMessage?: string): Promise<boolean> {
  const outcome = await trackSettings(changes, settled(updateSettings(changes)))
  if (!outcome.ok) toast('error', outcome.refusal.message)
  else if (savedMessage) toast('success', savedMessage)
  return outcome.ok
}
