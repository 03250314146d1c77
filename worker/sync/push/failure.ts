/** What to do after the source refused a commit with mutations. Pure. */
import type { AppError } from '../protocol/down.ts'
import type { CommitFailure } from '../pull/source.ts'

export type Reaction =
  /** The rows are old, or the commit may have succeeded: read the source again, then run what is still due. */
  | { readonly type: 'reread' }
  /** A mutation of the batch can never be committed. Run each mutation alone; refuse the one that fails. `error` null: an internal error. */
  | { readonly type: 'refuse'; readonly error: AppError | null }
  /** The client group is full. The new client keeps its mutations and retries. */
  | { readonly type: 'too-many-clients' }
  /** The user may not write any more. */
  | { readonly type: 'unauthorized'; readonly message: string }
  /** The source stores less progress than it confirmed, also after it was read again: it was restored. */
  | { readonly type: 'restored' }
  /** The client keeps its mutations and reconnects. */
  | { readonly type: 'give-up' }

/** Chosen. */
const maxRereads = 2

/** `rereads`: how often this batch was run again already. */
export function reactionTo(failure: CommitFailure, rereads: number): Reaction {
  const mayReread = rereads < maxRereads
  switch (failure.type) {
    case 'refused':
      return { type: 'refuse', error: failure.error }
    case 'unauthorized':
      return failure
    case 'stale':
      if (mayReread) return { type: 'reread' }
      return failure.error ? { type: 'refuse', error: failure.error } : { type: 'give-up' }
    case 'stale-progress':
      return mayReread ? { type: 'reread' } : { type: 'restored' }
    case 'too-many-clients':
      return mayReread ? { type: 'reread' } : failure
    case 'transient':
      return mayReread ? { type: 'reread' } : { type: 'give-up' }
    case 'unknown':
      // A failure that repeats while the source can be read is in the mutation.
      return rereads < 1 ? { type: 'reread' } : { type: 'refuse', error: null }
  }
}
