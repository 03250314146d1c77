/** The one way a query is refused, so that every refusal names its form and its place in the AST. */
import { UnsupportedQueryError } from './types.ts'

export function unsupported(form: string, path: string): never {
  throw new UnsupportedQueryError(`query form not supported by the sync engine: ${form} (at ${path})`)
}
