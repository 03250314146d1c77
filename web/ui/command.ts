/** A command in the palette. Features define commands; the palette finds and runs them. */
import type { ReactNode } from 'react'
import type { Appearance } from '../lib/page-head.ts'

export type Command = {
  readonly id: string
  readonly title: string
  readonly icon: ReactNode
  /** Additional text at the end of the line. */
  readonly detail?: string | undefined
  /** The excerpt that was found, on a separate line. */
  readonly excerpt?: string
  /** Additional search words. */
  readonly words?: string
  readonly keys?: string
  readonly isChosen?: boolean
  /** Shown on the page while arrow keys point at the command. */
  readonly preview?: Appearance
  readonly isDanger?: boolean
  /** Shows why it is unavailable; sorted after available commands. */
  readonly isRefused?: boolean
} & (
  | { readonly run: () => void; readonly choices?: undefined }
  /** Opens a list of choices, which are also found directly. */
  | { readonly run?: undefined; readonly choices: readonly Command[]; readonly ask: string }
)

export type CommandGroup = { readonly name: string; readonly commands: readonly Command[] }

export type CommandWithChoices = Extract<Command, { choices: readonly Command[] }>
