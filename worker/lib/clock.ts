/** Where the time comes from. What decides by time takes a `Clock`, so that a test can be tomorrow. */
export type Clock = () => number

/** Epoch ms. Inside a Worker the clock stands still between two awaits of I/O; durations below one are zero there. */
export const systemClock: Clock = () => Date.now()
