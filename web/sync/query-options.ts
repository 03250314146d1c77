import { queryTtlMs } from '../../worker/contract/limits.ts'

/** Options of every query that a component shows. */
export const options = { ttl: queryTtlMs }
