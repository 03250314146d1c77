/** Limits the size and duration of responses from Google and GitHub. better-auth sends these requests itself and sets no limits. */
import type { BetterAuthPlugin } from 'better-auth'
import { askBounded } from '../lib/bounded-asking.ts'
import { logger } from '../lib/logger.ts'

/** Chosen: a token, a profile or a list of addresses has a few KB and arrives within a second. */
const bounds = { maxBytes: 256 * 1024, withinMs: 10_000 } as const

/** If a profile cannot be read, the sign-in fails and the user returns to the sign-in page with an error. */
export const boundedCompanies = (): BetterAuthPlugin => ({
  id: 'bounded-companies',
  init: ({ socialProviders }) => {
    for (const provider of socialProviders) {
      const { getUserInfo, validateAuthorizationCode } = provider
      provider.validateAuthorizationCode = (grant) => askBounded(bounds, () => validateAuthorizationCode(grant))
      provider.getUserInfo = (tokens) =>
        askBounded(bounds, () => getUserInfo(tokens)).catch((error: unknown) => {
          logger.warn('company not understood', { company: provider.id, error: error instanceof Error ? error.name : 'unknown' })
          return null
        })
    }
  },
})
