/**
 * The server's time. Device clocks are minutes off, and deadlines (undo, the day of the credits) depend on the server's clock. Every sync
 * token contains its time of issue, so no extra request is needed.
 */
/** Offset of the server's clock to this device's; null before the first token. */
let aheadMs: number | null = null

const listeners = new Set<() => void>()

/** `seenAtMs`: the device's time when the server's time arrived. */
export function recordServerTime(serverMs: number, seenAtMs: number): void {
  aheadMs = Math.round(serverMs - seenAtMs)
  for (const listener of listeners) listener()
}

/** Calls back after each update. Returns a function that unsubscribes. */
export function onServerTime(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** In whole milliseconds; accurate to about a second plus the latency of the response. */
export const serverNowMs = (): number => Date.now() + (aheadMs ?? 0)

/** The time of this render. The React Compiler caches plain function calls, so this is a hook. */
export const useServerNow = (): number => serverNowMs()
