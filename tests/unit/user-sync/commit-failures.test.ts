// The meaning of a failed D1 batch for the object of a user. Rules: worker/sync/SPEC.md, P6.
import { expect, test } from 'vitest'
import { isRefusal } from '../../../worker/contract/errors.ts'
import { guardCodes } from '../../../worker/db/errors.ts'
import { reactionTo } from '../../../worker/sync/push/failure.ts'
import { commitFailureOf } from '../../../worker/user-sync/d1-source.ts'

const d1Error = (text: string) => new Error(`D1_ERROR: ${text}`)

function named(text: string): string {
  const failure = commitFailureOf(d1Error(text))
  const error = 'error' in failure ? failure.error : null
  return error && isRefusal(error.details) ? `${failure.type} ${error.details.code}` : failure.type
}

test.each([
  ['Network connection lost.', 'transient'],
  ['no such table: thred', 'unknown'],
  ['UNIQUE constraint failed: message.id', 'refused invalid_request'],
  ['stale_mutation', 'stale-progress'],
  ['clock_behind', 'stale'],
  ['queue_moved', 'stale'],
  ['thread_busy', 'stale thread_busy'],
  ['too_many_clients', 'too-many-clients'],
  ['guest_linked', 'unauthorized'],
  ['account_deleted', 'unauthorized'],
  ['foreign_thread', 'refused not_found'],
  ['id_taken', 'refused invalid_request'],
  ['credits_exhausted', 'refused credits_exhausted'],
  ['guest_limit_reached', 'refused guest_limit_reached'],
  ['row_too_large', 'refused row_too_large'],
  ['ledger_immutable', 'refused internal'],
])('[P6] %s is %s', (text, expected) => {
  expect(named(text)).toBe(expected)
})

test('[P6] no failure causes an endless loop of reads', () => {
  for (const code of [...guardCodes, 'UNIQUE constraint failed: thread.id', 'Network connection lost.', 'anything else'])
    expect(reactionTo(commitFailureOf(d1Error(code)), 10).type).not.toBe('reread')
})
