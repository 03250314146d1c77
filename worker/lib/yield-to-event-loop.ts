/**
 * Yields to the event loop. Calls to a database in the same process never make the event loop idle, and only an idle event loop handles
 * sockets and timers.
 */
export const yieldToEventLoop = (): Promise<void> => scheduler.wait(0)
