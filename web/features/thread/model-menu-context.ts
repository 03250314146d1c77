/** The menu that chooses a model for one answer. Given from outside, because features do not know each other. */
import { type ComponentType, createContext } from 'react'

export type ModelMenuProps = {
  readonly label: string
  readonly selectedId: string
  readonly disabledReason: string | undefined
  readonly onChoose: (modelId: string) => void
}

export const ModelMenuContext = createContext<ComponentType<ModelMenuProps> | null>(null)
