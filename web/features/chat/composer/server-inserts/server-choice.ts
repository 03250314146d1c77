/** The resource or prompt of a server that the user chose in the list of a composer. Its part of the screen loads with the first choice. */
import type { ServerPrompt, ServerResource } from '../../../../../worker/contract/tools/tool-servers.ts'
import { onLocalDataDeletion } from '../../../../lib/local-user-data.ts'
import { createStore } from '../../../../lib/store.ts'

export type ChosenEntry =
  | { readonly kind: 'resource'; readonly entry: ServerResource }
  | { readonly kind: 'prompt'; readonly entry: ServerPrompt }

export type ServerChoice = ChosenEntry & {
  readonly draftKey: string
  readonly server: { readonly id: string; readonly name: string }
  /** `asking`: for its arguments. `problem`: what was not inserted, and why. */
  readonly state: 'asking' | 'reading' | ServerProblem
}

/** `isLogin`: the server wants a login. `isInserted`: the server was read, and some of it was inserted. */
export type ServerProblem = { readonly text: string; readonly isLogin: boolean; readonly isInserted: boolean }

/** The newest choice. */
export const serverChoice = createStore<ServerChoice | null>(null)

onLocalDataDeletion(() => serverChoice.set(null))
