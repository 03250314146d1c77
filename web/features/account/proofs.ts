/** The ways to confirm an account after the login is no longer recent. The server checks only the age of the session. */
import { type Company, isCompany } from '../../lib/companies.ts'

export type Proofs = { readonly hasMail: boolean; readonly companies: readonly Company[] }

/** `offered`: providers of this installation; `linked`: providers of the account. Null if there is no way. */
export function proofsOf(offered: readonly string[], linked: readonly string[]): Proofs | null {
  const hasMail = offered.includes('mail')
  const all = offered.filter(isCompany)
  const own = all.filter((company) => linked.includes(company))
  // Without mail, a provider that has verified the same address opens the same account.
  const companies = own.length > 0 || hasMail ? own : all
  return hasMail || companies.length > 0 ? { hasMail, companies } : null
}

/** Contains the user id, because the provider may return another account. */
export const wayBack = (userId: string): string => `/account?delete=${encodeURIComponent(userId)}`
