/** A mutation that could not be applied, and what its client is told. */
import { comeBack, type ErrorBody, fatal, outOfOrder } from '../protocol/error.ts'
import type { PushedMutation } from './pending.ts'

export type PushProblem =
  /** Mutations before it are missing. */
  | { readonly type: 'gap'; readonly pushed: PushedMutation; readonly expected: number }
  | { readonly type: 'handed-over' | 'give-up'; readonly pushed: PushedMutation }

export function problemError(problem: PushProblem): ErrorBody {
  switch (problem.type) {
    case 'gap': {
      const { clientID, id } = problem.pushed.mutation
      return outOfOrder({ clientID, id }, problem.expected)
    }
    case 'handed-over':
      return fatal('Unauthorized', 'this guest has become an account')
    case 'give-up':
      return comeBack('the record cannot be written right now')
  }
}
