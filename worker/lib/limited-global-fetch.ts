/**
 * Limits responses for packages that call the global `fetch`, accept no other, and read bodies to the end. An endless body would exhaust
 * the memory shared with other requests. Only requests made during `call` are limited (tracked by `AsyncLocalStorage`).
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { boundedFetch } from './bounded-body.ts'

/** Limits of each response. */
type Bounds = { readonly maxBytes: number; readonly withinMs: number }

const storage = new AsyncLocalStorage<Bounds>()

export const withFetchLimits = <T>(limits: Bounds, call: () => T): T => storage.run(limits, call)

const send = globalThis.fetch
globalThis.fetch = (input, init) => {
  const limits = storage.getStore()
  if (!limits) return send(input, init)
  const timeout = AbortSignal.timeout(limits.withinMs)
  const signal = init?.signal ? AbortSignal.any([init.signal, timeout]) : timeout
  return boundedFetch(send, limits.maxBytes)(input, { ...init, signal })
}
