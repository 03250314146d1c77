/** Source of time. Functions that decide by time take a `Clock`, so that tests can set it. */
export type Clock = () => number

/** Epoch ms. In a Worker the clock advances only with I/O; without I/O in between, durations are zero. */
export const systemClock: Clock = () => Date.now()
