/**
 * Classifies failed D1 calls. D1 reports failures through message texts only: our guards by the code in `raise(abort, …)` of the migrations,
 * constraints by SQLite's wording, and the platform by the strings that its documentation lists
 * (developers.cloudflare.com/d1/observability/debug-d1).
 */
import { type GuardRefusalCode, type RefusalCode, refusalCodes, ruleOf } from '../contract/errors.ts'

/** Guards that are no refusals: a batch that raised one is repeated, answered in another way, or is an error of the Worker. */
const otherGuardCodes = [
  'stale_mutation',
  'foreign_thread',
  'id_taken',
  'generation_ended',
  'clock_behind',
  'ledger_immutable',
  'queue_moved',
  'too_many_clients',
  'account_full',
  'guest_linked',
  'account_deleted',
  'team_limit_reached',
  'invitation_limit_reached',
  'member_limit_reached',
  'person_limit_reached',
  'tool_server_limit_reached',
] as const

export type GuardCode = GuardRefusalCode | (typeof otherGuardCodes)[number]

const isGuard = (code: RefusalCode): code is GuardRefusalCode => ruleOf(code).isGuard === true

export const guardCodes: readonly GuardCode[] = [...otherGuardCodes, ...refusalCodes.filter(isGuard)]

type D1Failure =
  /** A guard aborted the batch, which was rolled back. */
  | { readonly kind: 'guard'; readonly code: GuardCode }
  /** A row with this key already exists. `columns`: names as in SQLite, for example "thread.id". The batch was rolled back. */
  | { readonly kind: 'unique'; readonly columns: readonly string[] }
  /** A retry may succeed, but the batch may have been committed. Only idempotent batches may be retried. */
  | { readonly kind: 'transient' }
  | { readonly kind: 'unknown' }

/** D1 did not respond within our timeout. */
class SilentD1Error extends Error {
  override readonly name = 'SilentD1Error'
}

export function noAnswer(): never {
  throw new SilentD1Error('D1 does not answer')
}

/** Lower case. Errors about exceeded memory or CPU are missing on purpose: a retry would exceed them again. */
const transientTexts = [
  'd1 db reset because its code was updated',
  'internal error while starting up d1 db storage',
  'network connection lost',
  'internal error in d1 db storage',
  'cannot resolve d1 db due to transient issue on remote node',
  "can't read from request stream because client disconnected",
  'd1 db storage operation exceeded timeout',
  'd1 db is overloaded',
]

export function classifyD1Error(error: unknown): D1Failure {
  if (error instanceof SilentD1Error) return { kind: 'transient' }
  const text = textOf(error)
  const code = guardCodes.find((candidate) => new RegExp(`\\b${candidate}\\b`).test(text))
  if (code) return { kind: 'guard', code }
  // SQLite's limit of 2 MB per value or row, for tables without a guard.
  if (/SQLITE_TOOBIG|string or blob too big/i.test(text)) return { kind: 'guard', code: 'row_too_large' }
  const unique = /UNIQUE constraint failed: ([^:]+)/.exec(text)
  if (unique?.[1]) return { kind: 'unique', columns: unique[1].split(',').map((column) => column.trim()) }
  const lower = text.toLowerCase()
  if (transientTexts.some((transient) => lower.includes(transient))) return { kind: 'transient' }
  return { kind: 'unknown' }
}

/** Only the innermost error counts. Drizzle wraps D1's error in a message that quotes parameters, which can contain user input. */
function textOf(error: unknown): string {
  let innermost = error
  while (innermost instanceof Error && innermost.cause instanceof Error) innermost = innermost.cause
  return innermost instanceof Error ? innermost.message : String(innermost)
}
