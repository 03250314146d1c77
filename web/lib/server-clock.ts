/**
 * What time it is for the server. Devices are minutes ahead or behind, and what is the server's to say (until when something can be
 * undone, on which day credits are spent) is not theirs. Every sync token says when it was made, so nobody asks for the time.
 */

/** What has to be added to this device's clock; null while the server has not been heard. */
let aheadMs: number | null = null

const listeners = new Set<() => void>()

/** `seenAtMs`: by this device's clock, when the server's words arrived. */
export function heardServerTime(serverMs: number, seenAtMs: number): void {
  aheadMs = Math.round(serverMs - seenAtMs)
  for (const listener of listeners) listener()
}

/** Tells whenever the server's time has been heard. Returns how to stop. */
export function onServerTime(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Whole milliseconds; right to about a second, and as much as its words were on their way. */
export const serverNowMs = (): number => Date.now() + (aheadMs ?? 0)
