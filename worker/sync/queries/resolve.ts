/** A name and arguments from a client to a query of the contract, seen by this viewer. Nothing else is ever evaluated. */
import { getQuery, InputValidationError, isQuery } from '@rocicorp/zero'
import { asQueryInternals } from '@rocicorp/zero/bindings'
import { queries } from '../../contract/queries.ts'
import type { GroupQuery, Json } from '../engine/types.ts'
import type { QueryError } from '../protocol/down.ts'
import { maxQueryArgsChars } from '../protocol/limits.ts'

export type Named = { readonly hash: string; readonly name?: string | undefined; readonly args?: readonly Json[] | undefined }
export type Resolved = { readonly query: GroupQuery } | { readonly error: QueryError }

export function resolveQuery({ hash, name, args = [] }: Named, userId: string): Resolved {
  if (name === undefined) return refused('app', hash, '', 'only named queries are answered')
  const query: unknown = getQuery(queries, name)
  // A path may also lead to a folder of queries, or to what every object inherits.
  if (!isQuery(query) || query.queryName !== name) return refused('app', hash, name, 'unknown query')
  try {
    // They are stored with the query, also by queries that ask for none.
    if (JSON.stringify(args).length > maxQueryArgsChars) return refused('parse', hash, name, 'the arguments are too long')
    const { ast } = asQueryInternals(query.fn({ args: args[0], ctx: { userId } }))
    return { query: { hash, name, args, ast } }
  } catch (error) {
    const isInvalid = error instanceof InputValidationError
    return refused(isInvalid ? 'parse' : 'app', hash, name, error instanceof Error ? error.message : 'the query failed')
  }
}

const refused = (error: QueryError['error'], id: string, name: string, message: string): Resolved => ({
  error: { error, id, name, message },
})
