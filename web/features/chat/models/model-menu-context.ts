/** The menu that selects a model for one answer. Injected, because features do not import each other. */
import { type ComponentType, createContext } from 'react'
import type { ModelRow } from '../../../sync/rows.ts'

export type ModelMenuProps = {
  readonly label: string
  readonly selectedId: string
  readonly disabledReason: string | undefined
  /** Note shown at a model before it is selected. */
  readonly noteOf?: (model: ModelRow) => string | undefined
  readonly onChoose: (modelId: string) => void
}

export const ModelMenuContext = createContext<ComponentType<ModelMenuProps> | null>(null)
