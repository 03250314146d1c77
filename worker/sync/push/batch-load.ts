/** What the mutations of one D1 batch weigh together: a fork of a long thread is hundreds of statements, and a few of them are megabytes. */
import { hidesFiles } from '../../db/hidden-files.ts'
import { maxBatchChars, maxBatchStatements } from '../protocol/limits.ts'
import type { Outcome } from './run-mutation.ts'

/** Progress advanced; what opening a turn takes. */
const progressStatements = 1
const turnStatements = 6

export class BatchLoad {
  #statements = 0
  #chars = 0

  /** False when the batch would weigh more than it may with this one too. */
  takes(outcome: Outcome): boolean {
    this.#statements += progressStatements
    if (outcome.type === 'applied') {
      this.#statements += outcome.writes.length + outcome.writes.filter(hidesFiles).length + (outcome.opened ? turnStatements : 0)
      for (const { row } of outcome.writes) this.#chars += charsOf(row)
    }
    return this.#statements <= maxBatchStatements && this.#chars <= maxBatchChars
  }
}

/** Of the texts in it, at any depth; the rest of a row is small. */
function charsOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let chars = 0
  for (const part of Object.values(value)) chars += charsOf(part)
  return chars
}
