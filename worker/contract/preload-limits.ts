/** Limits of data that is loaded before the user opens it. */

/**
 * The newest messages of the most recent threads are preloaded, so that opening one needs no request. Chosen: 6 messages fill most screens.
 */
export const preloadedThreads = 10
export const preloadedMessages = 6
/** Threads that are loaded whole while the page is idle, in steps, so that they open without a network. Chosen: the first step is small. */
export const offlineThreads = [10, 40, 100, 200] as const
/**
 * Chosen: the sync client reads all stored rows when it opens the page. With 3 MB of them, the composer was ready after 0.38 s instead of 0.26 s, and a
 * thread clicked at once opened after 2.1 s instead of 1.1 s.
 */
export const offlineTextBytes = 2 * 1024 * 1024
/** A longer thread loads when it is opened. Chosen: about 1 MB of text, because every request sends the thread again up to its budget. */
export const longThreadTokens = 5_000_000
