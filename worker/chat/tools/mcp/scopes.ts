/** Scopes of OAuth (RFC 6749, section 3.3) as servers name them. */
import { maxScopeChars, maxServerScopes } from '../../../contract/limits.ts'

/** Each scope once. None if one is invalid or too long, or if there are too many. */
export function scopesIn(text: string | undefined): readonly string[] {
  if (text === undefined || text.length > maxServerScopes * (maxScopeChars + 1)) return []
  const scopes = [...new Set(text.split(' ').filter((scope) => scope !== ''))]
  const areValid = scopes.every((scope) => scope.length <= maxScopeChars && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
  return areValid && scopes.length <= maxServerScopes ? scopes : []
}
