/** A mutation that could not be applied, and what its client is told. */
import { comeBack, type ErrorBody, fatal, outOfOrder } from '../protocol/error.ts'
import type { PushedMutation } from './pending.ts'

export type PushProblem =
  /** Mutations before it are missing. */
  | { readonly type: 'gap'; readonly pushed: PushedMutation; readonly expected: number }
  | { readonly type: 'foreign-group' | 'give-up'; readonly pushed: PushedMutation }

export function problemError(problem: PushProblem): ErrorBody {
  switch (problem.type) {
    case 'gap': {
      const { clientID, id } = problem.pushed.mutation
      return outOfOrder({ clientID, id }, problem.expected)
    }
    case 'foreign-group':
      return fatal('Unauthorized', 'this client group belongs to somebody else')
    case 'give-up':
      return comeBack('the record cannot be written right now')
  }
}
