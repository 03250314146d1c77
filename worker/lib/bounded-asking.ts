/**
 * For packages that ask by the global `fetch`, take no other, and read whatever comes to its end: what never ends would fill the memory of
 * everybody in the same machine. What follows from `ask` is told apart by who asks, and bounded where it leaves; nobody else's is.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { boundedFetch } from './bounded-body.ts'

/** Of each answer. */
export type Bounds = { readonly maxBytes: number; readonly withinMs: number }

const bounds = new AsyncLocalStorage<Bounds>()

export const askBounded = <T>(within: Bounds, ask: () => T): T => bounds.run(within, ask)

const send = globalThis.fetch
globalThis.fetch = (input, init) => {
  const within = bounds.getStore()
  if (!within) return send(input, init)
  const clock = AbortSignal.timeout(within.withinMs)
  const signal = init?.signal ? AbortSignal.any([init.signal, clock]) : clock
  return boundedFetch(send, within.maxBytes)(input, { ...init, signal })
}
