/** One thing that can be done, as the palette lists it. Features offer them; the palette only finds and runs them. */
import type { ReactNode } from 'react'

export type Command = {
  readonly id: string
  readonly title: string
  readonly icon: ReactNode
  /** Says more, at the end of its line. */
  readonly detail?: string | undefined
  /** Where it was found, as a line of its own. */
  readonly excerpt?: string
  /** Words somebody may type who means this. */
  readonly words?: string
  readonly keys?: string
  readonly isChosen?: boolean
  readonly isDanger?: boolean
  /** Leads to why it cannot be done; found after what can be. */
  readonly isRefused?: boolean
} & (
  | { readonly run: () => void; readonly choices?: undefined }
  /** Opens a list of its own; its choices are found without opening it, too. */
  | { readonly run?: undefined; readonly choices: readonly Command[]; readonly ask: string }
)

export type CommandGroup = { readonly name: string; readonly commands: readonly Command[] }

export type CommandWithChoices = Extract<Command, { choices: readonly Command[] }>
