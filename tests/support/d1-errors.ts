/** Errors that D1 may throw for valid statements, by its documentation (developers.cloudflare.com/d1/observability/debug-d1). */

/** A retry may succeed. The statement may also have been committed already. */
export const transientD1Errors = [
  'D1_ERROR: D1 DB reset because its code was updated.',
  'D1_ERROR: Internal error while starting up D1 DB storage caused object to be reset.',
  'D1_ERROR: Network connection lost.',
  'D1_ERROR: Internal error in D1 DB storage caused object to be reset.',
  'D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.',
  "D1_ERROR: Can't read from request stream because client disconnected.",
  'D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.',
  'D1_ERROR: D1 DB is overloaded. Requests queued for too long.',
  'D1_ERROR: D1 DB is overloaded. Too many requests queued.',
] as const

/** A retry would fail again. */
export const lastingD1Errors = [
  "D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.",
  'D1_ERROR: D1 DB exceeded its CPU time limit and was reset.',
  'D1_ERROR: Exceeded maximum DB size.',
] as const

export const d1Errors = [...transientD1Errors, ...lastingD1Errors]
