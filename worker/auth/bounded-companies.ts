/** How much Google and GitHub may say, and how long they may take: better-auth asks them by itself, and waits for the end. */
import type { BetterAuthPlugin } from 'better-auth'
import { askBounded } from '../lib/bounded-asking.ts'
import { logger } from '../lib/logger.ts'

/** Ours: a token, a profile or a list of addresses is a few KB and comes within a second. */
const bounds = { maxBytes: 256 * 1024, withinMs: 10_000 } as const

/** A company that cannot be understood signs nobody in: the person is back at the sign-in page, which says so. */
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
