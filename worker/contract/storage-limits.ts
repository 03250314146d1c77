/** Limits of what many users, or many copies, store in sum. Those of one user are in limits.ts. */

/**
 * What guests of one network store a day, and all guests, in each content database (migrations/0030_storage_of_guests_and_copies.sql). Chosen: two
 * guests of a network can fill their storage; in 30 days, after which idle guests are deleted, all fill 4 GB of a database.
 */
export const guestNetworkStoredPerDay = { bytes: 16 * 1024 * 1024, rows: 4_000, fileBytes: 200 * 1024 * 1024 } as const
export const allGuestsStoredPerDay = { bytes: 128 * 1024 * 1024, rows: 100_000, fileBytes: 4 * 1024 * 1024 * 1024 } as const

/** Files of a copied thread, which the copy refers to; and of all copies in an hour. Chosen: one batch writes them; far above manual use. */
export const maxCopiedFiles = 50
export const copiedFilesPerHour = { guest: 100, free: 300, pro: 600 } as const
