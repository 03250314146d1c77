// The reaction to a failed commit. Rules: worker/sync/SPEC.md, P6.
import { expect, test } from 'vitest'
import type { CommitFailure } from '../../../../worker/sync/pull/source.ts'
import { reactionTo } from '../../../../worker/sync/push/failure.ts'

const error = { error: 'app', message: 'No' } as const
const refused: CommitFailure = { type: 'refused', error }
const stale: CommitFailure = { type: 'stale', error: null }
const staleRefusal: CommitFailure = { type: 'stale', error }

test.each<[CommitFailure, number, string]>([
  [{ type: 'transient' }, 0, 'reread'],
  [{ type: 'transient' }, 1, 'reread'],
  [{ type: 'transient' }, 2, 'give-up'],
  [{ type: 'unknown' }, 0, 'reread'],
  [{ type: 'unknown' }, 1, 'refuse internal'],
  [refused, 0, 'refuse No'],
  [stale, 1, 'reread'],
  [stale, 2, 'give-up'],
  [staleRefusal, 0, 'reread'],
  [staleRefusal, 2, 'refuse No'],
  [{ type: 'stale-progress' }, 0, 'reread'],
  [{ type: 'stale-progress' }, 2, 'restored'],
  [{ type: 'too-many-clients' }, 0, 'reread'],
  [{ type: 'too-many-clients' }, 2, 'too-many-clients'],
  [{ type: 'unauthorized', message: 'why' }, 0, 'unauthorized'],
])('[P6] %j after %i rereads: %s', (failure, rereads, expected) => {
  const reaction = reactionTo(failure, rereads)
  expect(reaction.type === 'refuse' ? `refuse ${reaction.error?.message ?? 'internal'}` : reaction.type).toBe(expected)
})
