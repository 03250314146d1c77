/**
 * How many threads the list shows. Outside the list, because what walks through the threads with keys must see as far as it does,
 * and so that a list that comes back is as long as it was left.
 */
import { maxThreadWindow, threadPageSize } from '../../worker/contract/limits.ts'
import { createStore } from '../lib/store.ts'

export const threadWindow = createStore<number>(threadPageSize)

export const growThreadWindow = (): void => threadWindow.set(Math.min(threadWindow.get() + threadPageSize, maxThreadWindow))
