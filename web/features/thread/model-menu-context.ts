/** The menu that chooses a model for one answer. Given from outside, because features do not know each other. */
import { type ComponentType, createContext } from 'react'
import type { ModelRow } from '../../sync/rows.ts'

export type ModelMenuProps = {
  readonly label: string
  readonly selectedId: string
  readonly disabledReason: string | undefined
  /** What is to be known of a model before it is chosen for this. */
  readonly noteOf?: (model: ModelRow) => string | undefined
  readonly onChoose: (modelId: string) => void
}

export const ModelMenuContext = createContext<ComponentType<ModelMenuProps> | null>(null)
