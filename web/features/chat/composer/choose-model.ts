/** Selects the model of a thread or, where no thread is open and no project has a model, the user's model, which answers in new threads. */
import { isNewThread } from '../../../../worker/contract/threads/draft-key.ts'
import { useSaveSettings } from '../../../sync/save-settings.ts'
import { toastRefusal } from '../../../ui/toast-refusal.ts'
import { choose, draftOf } from './drafts.ts'
import type { NextModel } from './next-model.ts'
import { uploadsOf } from './uploads.ts'

/** The user has chosen: the model is not switched for the files that are attached already. */
export const asChosen = (draftKey: string) => ({
  switchedFrom: null,
  keepsModel: draftOf(draftKey).get().files.length > 0 || uploadsOf(draftKey).get().length > 0,
})

export function useChooseModel(draftKey: string, { answerId, hasProjectModel }: NextModel): (modelId: string) => void {
  const saveSettings = useSaveSettings()
  return (modelId) => {
    const changesSetting = isNewThread(draftKey) && !hasProjectModel
    choose(draftKey, { modelId: null, picked: changesSetting ? null : { modelId, answerId }, ...asChosen(draftKey) })
    if (changesSetting) void toastRefusal(saveSettings({ modelId }))
  }
}
