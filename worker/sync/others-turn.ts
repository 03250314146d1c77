/**
 * Everybody else on the machine has a turn (SPEC R8). A database in the same process, as on one's own machine, answers without the thread ever
 * being idle, and a thread that is not idle looks at no socket and no timer.
 */
export const othersTurn = (): Promise<void> => scheduler.wait(0)
