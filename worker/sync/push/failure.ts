/** What to do after D1 refused a batch of mutations. Pure. */
import type { RefusalCode } from '../../contract/errors.ts'
import type { D1Failure, GuardCode } from '../../db/errors.ts'

export type Reaction =
  /** What we computed from is old, or the batch may have been committed after all: read the record again, then do what is still due. */
  | { readonly type: 'reread' }
  /** One of the mutations cannot be: find it by running each alone, then refuse it. */
  | { readonly type: 'refuse'; readonly code: RefusalCode }
  /** The guest has become an account, or the account is going: the client asks for a token, and is that account's, or nobody. */
  | { readonly type: 'handed-over' }
  /** It knows less than was confirmed, and says so again after it was read: it is an earlier one, which no feed has told. */
  | { readonly type: 'restored' }
  /** D1 does not answer: the client keeps its mutations and comes back. */
  | { readonly type: 'give-up' }

/** `rereads` counts how often this batch has been computed anew already. */
export function reactionTo(failure: D1Failure, rereads: number): Reaction {
  switch (failure.kind) {
    case 'guard':
      return reactionToGuard(failure.code, rereads)
    case 'unique':
      return { type: 'refuse', code: 'invalid_request' }
    case 'transient':
      return rereads < maxRereads ? { type: 'reread' } : { type: 'give-up' }
    case 'unknown':
      // A fault that stays while the record can be read is in the mutation, not in D1.
      return rereads < 1 ? { type: 'reread' } : { type: 'refuse', code: 'internal' }
  }
}

const maxRereads = 2

function reactionToGuard(code: GuardCode, rereads: number): Reaction {
  switch (code) {
    case 'stale_mutation':
      return rereads < maxRereads ? { type: 'reread' } : { type: 'restored' }
    case 'queue_moved':
    case 'clock_behind':
      return rereads < maxRereads ? { type: 'reread' } : { type: 'give-up' }
    case 'thread_busy':
      return rereads < maxRereads ? { type: 'reread' } : { type: 'refuse', code }
    case 'handed_over':
    case 'account_gone':
      return { type: 'handed-over' }
    case 'credits_exhausted':
    case 'tool_limit_reached':
    case 'plan_limit_reached':
    case 'row_too_large':
    case 'file_missing':
      return { type: 'refuse', code }
    case 'foreign_thread':
      return { type: 'refuse', code: 'not_found' }
    case 'generation_ended':
    case 'last_owner':
    case 'team_limit_reached':
    case 'invitation_limit_reached':
    case 'member_limit_reached':
    case 'person_limit_reached':
    case 'invitation_answered':
    case 'ledger_immutable':
      return { type: 'refuse', code: 'internal' }
  }
}
