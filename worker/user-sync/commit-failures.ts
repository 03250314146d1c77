/** Maps a failed D1 batch to its meaning for `UserSync`: each guard code is a refusal or a reason to read again. */
import { isRefusalCode, type RefusalCode } from '../contract/errors.ts'
import { classifyD1Error, type GuardCode } from '../db/errors.ts'
import type { CommitFailure } from '../sync/pull/source.ts'
import { appErrorOf } from '../turns/server-mutators.ts'

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

const guardFailure = (code: GuardCode): CommitFailure => failures[code] ?? refused(isRefusalCode(code) ? code : 'internal')

/** The guards that are not answered with a refusal of their own code. */
const failures: { readonly [Code in GuardCode]?: CommitFailure } = {
  stale_mutation: { type: 'stale-progress' },
  queue_moved: { type: 'stale', error: null },
  clock_behind: { type: 'stale', error: null },
  thread_busy: { type: 'stale', error: appErrorOf('thread_busy') },
  too_many_clients: { type: 'too-many-clients' },
  handed_over: { type: 'unauthorized', message: 'this guest has become an account' },
  account_gone: { type: 'unauthorized', message: 'this account was deleted' },
  foreign_thread: refused('not_found'),
  id_taken: refused('invalid_request'),
}
