/** The OAuth providers of the login, and the ways to confirm an account with them. */
export const loginProviderNames = { google: 'Google', github: 'GitHub' } as const
export type LoginProvider = keyof typeof loginProviderNames

export const isLoginProvider = (method: string): method is LoginProvider => method in loginProviderNames

/** The ways to confirm an account after the login is no longer recent. The server checks only the age of the session. */
export type ConfirmationMethods = { readonly hasMail: boolean; readonly providers: readonly LoginProvider[] }

/** `offered`: providers of this installation; `linked`: providers of the account. Null if there is no way. */
export function confirmationMethodsOf(offered: readonly string[], linked: readonly string[]): ConfirmationMethods | null {
  const hasMail = offered.includes('mail')
  const all = offered.filter(isLoginProvider)
  const own = all.filter((provider) => linked.includes(provider))
  // Without mail, a provider that has verified the same address opens the same account.
  const providers = own.length > 0 || hasMail ? own : all
  return hasMail || providers.length > 0 ? { hasMail, providers } : null
}
