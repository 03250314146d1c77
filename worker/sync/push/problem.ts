/** A mutation that could not be applied, and what its client is told. */
import { comeBack, type ErrorBody, fatal, outOfOrder } from '../protocol/error.ts'
import type { PushedMutation } from './pending.ts'

export type PushProblem =
  /** Mutations before it are missing. */
  | { readonly type: 'gap'; readonly pushed: PushedMutation; readonly expected: number }
  | { readonly type: 'handed-over' | 'give-up'; readonly pushed: PushedMutation }

/** `toldClientID`: who sent it, for itself or for a page of its browser that is gone. */
export function problemError(problem: PushProblem, toldClientID: string): ErrorBody {
  switch (problem.type) {
    case 'gap': {
      const { clientID, id } = problem.pushed.mutation
      // What a page that is gone has left behind, every page of that browser would push again, for ever: the browser has to let go of it.
      if (clientID !== toldClientID) return fatal('ClientNotFound', 'a write that this browser has kept no longer fits to what is recorded')
      return outOfOrder({ clientID, id }, problem.expected)
    }
    case 'handed-over':
      return fatal('Unauthorized', 'this guest has become an account')
    case 'give-up':
      return comeBack('the record cannot be written right now')
  }
}
