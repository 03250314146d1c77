/** The open picker of the composer: selects the model of the next message. */
import { type ComparedChoice, PickerPanel } from '../models/picker-panel.tsx'
import { useChooseModel } from './choose-model.ts'

type ModelPanelProps = {
  readonly draftKey: string
  /** The last answer of the thread that counts. */
  readonly answerId: string | null
  readonly hasProjectModel: boolean
  readonly selectedId: string | undefined
  /** Null if only one model can answer. */
  readonly compared: ComparedChoice | null
  readonly onChosen: () => void
  readonly onClose: () => void
}

export function ModelPanel({ draftKey, answerId, hasProjectModel, selectedId, compared, onChosen, onClose }: ModelPanelProps) {
  const chooseModel = useChooseModel(draftKey, answerId, hasProjectModel)
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
