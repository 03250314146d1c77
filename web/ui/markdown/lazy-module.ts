/**
 * A library loaded on first use, as a store for components. The catch surrounds the whole `fetch` function: the bundler wraps `import()`
 * with the loading of styles, and a catch inside would miss a failed style.
 */

import { createStore } from '../../lib/store.ts'

type LazyModule<T> = {
  readonly current: () => T | null
  readonly subscribe: (listener: () => void) => () => void
  /** Resolves after loading or failure; the next call retries a failure. */
  readonly load: () => Promise<void>
}

export function lazyModule<T>(fetch: () => Promise<T>): LazyModule<T> {
  const module = createStore<T | null>(null)
  let loading: Promise<void> | null = null
  return {
    current: module.get,
    subscribe: module.subscribe,
    load: () => {
      loading ??= fetch().then(module.set, () => {
        // The source stays readable; the next use retries.
        loading = null
      })
      return loading
    },
  }
}
