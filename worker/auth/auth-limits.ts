/** Limits of sign-ins, mails and changes of the directory. All other limits are in limits.ts. */

/**
 * Limits of wider networks, as multiples of the limit of an IPv4 address or IPv6 /64: `site` is a /56, `block` an IPv4 /24 or IPv6 /48
 * (worker/auth/networks.ts). Chosen: a /56 is one customer; a wider network can have several.
 */
export const wideNetworkFactors = { site: 2, block: 4 } as const
/**
 * Sign-in limits for one e-mail address, by size of network; `address` counts all networks together. A browser that the address has used
 * before counts only as `knownBrowser`. Requests over the other limits need a solved Turnstile challenge and count as `solved`.
 * Chosen: no network of these sizes can reach the limit of an address. All networks together guess a 6-digit code with a probability of 15 in
 * 100,000 a day.
 */
export const signInMailsPer10Min = { line: 6, site: 8, block: 12, address: 24, knownBrowser: 6, solved: { line: 6, address: 24 } } as const
export const codeTriesPer10Min = { line: 5, site: 8, block: 12, address: 30, knownBrowser: 10, solved: { line: 5, address: 9 } } as const
export const codeTriesPerDay = { address: 100, solved: 50 } as const
/** Chosen: above the tries that `codeTriesPer10Min` allows in the life of one code, so wrong tries of other users do not void it. */
export const maxTriesPerCode = 100
/**
 * `inviter` counts the mails of one account to the address. The first of them is counted only as `inviter`, so other users cannot block an
 * invitation; the others also count for the networks and as `address`. Chosen: a few repeats, and above 20 mails an hour one account for each.
 */
export const invitationMailsPerHour = { inviter: 5, line: 5, site: 8, block: 12, address: 20 } as const
/**
 * Changes of a user's profile, organizations, members and teams. Each is a row of the directory feed for 30 days, or of all members of an
 * organization. Chosen: far above manual use.
 */
export const directoryWritesPerHour = 300
/** Chosen: guests that one network may create within an hour before Turnstile is required, where it is configured. Wider ones: `wideNetworkFactors`. */
export const guestsPerHourWithoutCaptcha = 5
/**
 * Reports of errors in pages, each a line in the log. `network` is an IPv4 address or IPv6 /64; wider ones: `wideNetworkFactors`. Chosen: a page
 * sends at most five, and a fault of a new version shows in far fewer than `all`.
 */
export const pageErrorsPerHour = { network: 30, all: 1000 } as const
