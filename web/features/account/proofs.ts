/** How somebody whose login is a while ago can show that an account is theirs. The server goes by the age of the session alone. */
import { authCall } from '../../lib/auth-call.ts'
import { pageHint } from '../../lib/page-hint.ts'
import { type Company, isCompany } from '../../lib/sign-in.ts'

export type Proofs = { readonly hasMail: boolean; readonly companies: readonly Company[] }

/** A sentence where there is no way. */
export async function proofsFor(): Promise<Proofs | string> {
  const answer = await authCall<readonly { readonly providerId: string }[]>('list-accounts')
  if (!answer.ok) return answer.message
  const hasMail = pageHint.signIn.includes('mail')
  const offered = pageHint.signIn.filter(isCompany)
  const linked = offered.filter((company) => answer.body.some(({ providerId }) => providerId === company))
  // Without mail, a company that has proven the same address opens the same account.
  const companies = linked.length > 0 || hasMail ? linked : offered
  return hasMail || companies.length > 0 ? { hasMail, companies } : 'Log out and in again first: your last login is too long ago.'
}

/** Names whom they left as: a company may send back somebody else. */
export const wayBack = (userId: string): string => `/account?delete=${encodeURIComponent(userId)}`
