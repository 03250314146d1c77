/** Limits the size and duration of responses from Google and GitHub. better-auth sends these requests itself and sets no limits. */
import type { BetterAuthPlugin } from 'better-auth'
import { withFetchLimits } from '../lib/limited-global-fetch.ts'
import { logger } from '../lib/logger.ts'

/** Chosen: a token, a profile or a list of addresses has a few KB and arrives within a second. */
const limits = { maxBytes: 256 * 1024, withinMs: 10_000 } as const

/** If a profile cannot be read, the sign-in fails and the user returns to the sign-in page with an error. */
export const providerLimits = (): BetterAuthPlugin => ({
  id: 'provider-limits',
  init: ({ socialProviders }) => {
    for (const provider of socialProviders) {
      const { getUserInfo, validateAuthorizationCode } = provider
      provider.validateAuthorizationCode = (grant) => withFetchLimits(limits, () => validateAuthorizationCode(grant))
      provider.getUserInfo = (tokens) =>
        withFetchLimits(limits, () => getUserInfo(tokens)).catch((error: unknown) => {
          logger.warn('profile_not_read', { provider: provider.id, error: error instanceof Error ? error.name : 'unknown' })
          return null
        })
    }
  },
})
