/** How somebody whose login is a while ago can show that an account is theirs. The server goes by the age of the session alone. */
import { type Company, isCompany } from '../../lib/companies.ts'

export type Proofs = { readonly hasMail: boolean; readonly companies: readonly Company[] }

/** `offered` here, and the `linked` providers of the account; null where there is no way. */
export function proofsOf(offered: readonly string[], linked: readonly string[]): Proofs | null {
  const hasMail = offered.includes('mail')
  const all = offered.filter(isCompany)
  const own = all.filter((company) => linked.includes(company))
  // Without mail, a company that has proven the same address opens the same account.
  const companies = own.length > 0 || hasMail ? own : all
  return hasMail || companies.length > 0 ? { hasMail, companies } : null
}

/** Names whom they left as: a company may send back somebody else. */
export const wayBack = (userId: string): string => `/account?delete=${encodeURIComponent(userId)}`
