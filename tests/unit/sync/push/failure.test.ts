// What D1's refusal of a batch means. Rules: worker/sync/SPEC.md, P6.
import { expect, test } from 'vitest'
import { type D1Failure, guardCodes } from '../../../../worker/db/errors.ts'
import { reactionTo } from '../../../../worker/sync/push/failure.ts'

const guard = (code: (typeof guardCodes)[number]): D1Failure => ({ kind: 'guard', code })

test.each<[D1Failure, number, string]>([
  [{ kind: 'transient' }, 0, 'reread'],
  [{ kind: 'transient' }, 1, 'reread'],
  [{ kind: 'transient' }, 2, 'give-up'],
  [{ kind: 'unknown' }, 0, 'reread'],
  [{ kind: 'unknown' }, 1, 'refuse internal'],
  [{ kind: 'unique', columns: ['message.id'] }, 0, 'refuse invalid_request'],
  [guard('stale_mutation'), 0, 'reread'],
  [guard('stale_mutation'), 2, 'restored'],
  [guard('clock_behind'), 0, 'reread'],
  [guard('thread_busy'), 0, 'reread'],
  [guard('thread_busy'), 2, 'refuse thread_busy'],
  [guard('foreign_thread'), 0, 'refuse not_found'],
  [guard('credits_exhausted'), 0, 'refuse credits_exhausted'],
  [guard('row_too_large'), 0, 'refuse row_too_large'],
])('[P6] %j after %i rereads: %s', (failure, rereads, expected) => {
  const reaction = reactionTo(failure, rereads)
  expect(reaction.type === 'refuse' ? `refuse ${reaction.code}` : reaction.type).toBe(expected)
})

test('[P6] no failure is answered by reading again for ever', () => {
  const failures: D1Failure[] = [...guardCodes.map(guard), { kind: 'unique', columns: [] }, { kind: 'transient' }, { kind: 'unknown' }]
  for (const failure of failures) expect(reactionTo(failure, 10).type).not.toBe('reread')
})
