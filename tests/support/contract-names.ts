/**
 * The names of mutators and queries in the contract, as frames contain them, for example 'threads.send'. For tests that must cover each of
 * them.
 */
import { isMutator } from '@rocicorp/zero'
import { mutators } from '../../worker/contract/mutators.ts'
import { queries } from '../../worker/contract/queries.ts'

function namesIn(tree: object, isNamed: (value: unknown) => boolean, path: readonly string[] = []): string[] {
  return Object.entries(tree).flatMap(([key, value]) => {
    const at = [...path, key]
    if (typeof value === 'function') return isNamed(value) ? [at.join('.')] : []
    return typeof value === 'object' && value !== null && !key.startsWith('~') ? namesIn(value, isNamed, at) : []
  })
}

export const mutatorNames: readonly string[] = namesIn(mutators, isMutator).sort()
export const queryNames: readonly string[] = namesIn(queries, () => true).sort()
