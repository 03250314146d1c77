/**
 * Lets other events run. A database in the same process answers without an idle event loop, and only an idle event loop reads sockets and
 * timers.
 */
export const yieldToEventLoop = (): Promise<void> => scheduler.wait(0)
