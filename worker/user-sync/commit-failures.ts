/** Maps a failed D1 batch to its meaning for `UserSync`: each guard code is a refusal or a reason to read again. */
import type { RefusalCode } from '../contract/errors.ts'
import { classifyD1Error, type GuardCode } from '../db/errors.ts'
import type { CommitFailure } from '../sync/pull/source.ts'
import { appErrorOf } from '../turns/mutator-effects.ts'

export function commitFailureOf(error: unknown): CommitFailure {
  const failure = classifyD1Error(error)
  switch (failure.kind) {
    case 'guard':
      return guardFailure(failure.code)
    case 'unique':
      return refused('invalid_request')
    case 'transient':
    case 'unknown':
      return { type: failure.kind }
  }
}

const refused = (code: RefusalCode): CommitFailure => ({ type: 'refused', error: appErrorOf(code) })

function guardFailure(code: GuardCode): CommitFailure {
  switch (code) {
    case 'stale_mutation':
      return { type: 'stale-progress' }
    case 'queue_moved':
    case 'clock_behind':
      return { type: 'stale', error: null }
    case 'thread_busy':
      return { type: 'stale', error: appErrorOf(code) }
    case 'too_many_clients':
      return { type: 'too-many-clients' }
    case 'handed_over':
      return { type: 'unauthorized', message: 'this guest has become an account' }
    case 'account_gone':
      return { type: 'unauthorized', message: 'this account was deleted' }
    case 'credits_exhausted':
    case 'guest_limit_reached':
    case 'guest_storage_reached':
    case 'tool_limit_reached':
    case 'plan_limit_reached':
    case 'row_too_large':
    case 'content_full':
    case 'fork_limit_reached':
    case 'project_limit_reached':
    case 'prompt_limit_reached':
    case 'shared_prompt_limit_reached':
    case 'member_prompt_limit_reached':
    case 'share_limit_reached':
    case 'shares_too_often':
    case 'file_missing':
      return refused(code)
    case 'foreign_thread':
      return refused('not_found')
    case 'id_taken':
      return refused('invalid_request')
    case 'generation_ended':
    case 'last_owner':
    case 'team_limit_reached':
    case 'invitation_limit_reached':
    case 'member_limit_reached':
    case 'person_limit_reached':
    case 'invitation_answered':
    case 'ledger_immutable':
    case 'account_full':
      return refused('internal')
  }
}
