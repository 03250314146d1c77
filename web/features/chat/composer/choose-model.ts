/** Selects the model of a thread or, where no thread is open, the user's model, which answers in new threads. */
import { isNewThread } from '../../../../worker/contract/threads/draft-key.ts'
import { useSaveSettings } from '../../../sync/act.ts'
import { toastRefusal } from '../../../ui/toast-refusal.ts'
import { choose } from './drafts.ts'

/** `answerId`: the last answer of the thread that counts. */
export function useChooseModel(draftKey: string, answerId: string | null): (modelId: string) => void {
  const saveSettings = useSaveSettings()
  return (modelId) => {
    if (!isNewThread(draftKey)) return choose(draftKey, { modelId: null, picked: { modelId, answerId } })
    choose(draftKey, { modelId: null, picked: null })
    void toastRefusal(saveSettings({ modelId }))
  }
}
