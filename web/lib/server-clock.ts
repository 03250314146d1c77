/**
 * What time it is for the server. Devices are minutes ahead or behind, and what is the server's to say (until when something can be
 * undone) is not theirs. Every sync token says when it was made, so nobody asks for the time.
 */

/** What has to be added to this device's clock; null while the server has not been heard. */
let aheadMs: number | null = null

/** `seenAtMs`: by this device's clock, when the server's words arrived. */
export function heardServerTime(serverMs: number, seenAtMs: number): void {
  aheadMs = Math.round(serverMs - seenAtMs)
}

/** Whole milliseconds; right to about a second, and as much as its words were on their way. */
export const serverNowMs = (): number => Date.now() + (aheadMs ?? 0)
