import { mutators, type SettingArgs } from '../../worker/contract/mutators.ts'
import { settled, useAct } from './act.ts'
import { useMe } from './hooks.ts'
import { keep, writeOf } from './outbox.ts'
import type { Outcome } from './outcome.ts'
import { settingsOf } from './repeatable-writes.ts'

/** Saves settings, and repeats the write after a reload if the page closes first. */
export function useSaveSettings(): (changes: SettingArgs) => Promise<Outcome> {
  const act = useAct()
  const setting = useMe()?.setting
  return (changes) => {
    const mutation = mutators.settings.update(changes)
    const outcome = settled(act(mutation))
    void keep(writeOf(mutation, settingsOf(setting, changes)), outcome)
    return outcome
  }
}
