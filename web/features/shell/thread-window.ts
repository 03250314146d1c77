/**
 * The number of threads in the list. Stored outside of the list, because keyboard navigation uses the same range and the list keeps its
 * length when it mounts again.
 */
import { maxThreadWindow, threadPageSize } from '../../../worker/contract/limits.ts'
import { createStore } from '../../lib/store.ts'

export const threadWindow = createStore<number>(threadPageSize)

export const growThreadWindow = (): void => threadWindow.set(Math.min(threadWindow.get() + threadPageSize, maxThreadWindow))
