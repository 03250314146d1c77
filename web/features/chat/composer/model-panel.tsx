/** The open picker of the composer: selects the model of the next message. */
import { isNewThread } from '../../../../worker/contract/threads/draft-key.ts'
import { useThread } from '../../../sync/thread.ts'
import { type ComparedChoice, PickerPanel } from '../models/picker-panel.tsx'
import { useChooseModel } from './choose-model.ts'
import { useNextModel } from './next-model.ts'

type ModelPanelProps = {
  readonly draftKey: string
  readonly selectedId: string | undefined
  /** Null if only one model can answer. */
  readonly compared: ComparedChoice | null
  readonly onChosen: () => void
  readonly onClose: () => void
}

export function ModelPanel({ draftKey, selectedId, compared, onChosen, onClose }: ModelPanelProps) {
  const { thread } = useThread(isNewThread(draftKey) ? undefined : draftKey)
  const chooseModel = useChooseModel(draftKey, useNextModel(thread, draftKey))
  return (
    <PickerPanel
      selectedId={selectedId}
      compared={compared}
      onClose={onClose}
      onChooseFirst={({ id }) => chooseModel(id)}
      onChoose={({ id }) => {
        onClose()
        chooseModel(id)
        onChosen()
      }}
    />
  )
}
