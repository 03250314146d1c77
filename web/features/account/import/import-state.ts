/** The state of the import of this page, which continues while other pages are shown. */
import type { AnyRefusal } from '../../../lib/refusals/sending-sentence.ts'
import { createStore } from '../../../lib/store.ts'
import type { Problem, ProblemReason } from './formats/source-thread.ts'

type ThreadLink = { readonly id: string; readonly title: string; readonly updatedAt: number }

export type ImportState = {
  /** `nothing_found`: the files contain no thread in a known format. */
  readonly phase: 'running' | 'paused' | 'done' | 'nothing_found' | 'canceled' | 'failed'
  readonly fileName: string
  /** From 0 to 1. */
  readonly share: number
  readonly imported: number
  /** Threads that an earlier import has written. */
  readonly known: number
  readonly problems: readonly Problem[]
  /** Problems that are not in the list. */
  readonly moreProblems: number
  /** The newest imported threads. */
  readonly newest: readonly ThreadLink[]
  /** Why the import is paused. */
  readonly refusal: AnyRefusal | null
  /** The refusal is about an image, and the import can continue without images. */
  readonly isAboutImages: boolean
}

export const importState = createStore<ImportState | null>(null)

/** Chosen: a list that a user reads. */
const maxListedProblems = 500

export const updateImport = (change: Partial<ImportState>): void => {
  const state = importState.get()
  if (state) importState.set({ ...state, ...change })
}

/** Problems of files that are no exports. */
const ofUnknownFiles: ReadonlySet<ProblemReason> = new Set(['unknown_format', 'file_damaged', 'damaged', 'too_large'])

/** True if no file is an export. */
export const foundNothing = ({ imported, known, problems }: ImportState): boolean =>
  imported + known === 0 && problems.every(({ reason }) => ofUnknownFiles.has(reason))

export function addProblems(added: readonly Problem[]): void {
  const state = importState.get()
  if (!state || added.length === 0) return
  const problems = [...state.problems, ...added]
  updateImport({
    problems: problems.slice(0, maxListedProblems),
    moreProblems: state.moreProblems + Math.max(0, problems.length - maxListedProblems),
  })
}
