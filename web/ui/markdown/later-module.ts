/**
 * A library loaded on first use, as a store for components. The catch surrounds the whole `fetch` function: the bundler wraps `import()`
 * with the loading of styles, and a catch inside would miss a failed style.
 */

export type LaterModule<T> = {
  readonly current: () => T | null
  readonly subscribe: (listener: () => void) => () => void
  /** Resolves after loading or failure; the next call retries a failure. */
  readonly load: () => Promise<void>
}

export function laterModule<T>(fetch: () => Promise<T>): LaterModule<T> {
  let module: T | null = null
  let loading: Promise<void> | null = null
  const listeners = new Set<() => void>()
  return {
    current: () => module,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    load: () => {
      loading ??= fetch().then(
        (fetched) => {
          module = fetched
          for (const listener of listeners) listener()
        },
        () => {
          // The source stays readable; the next use retries.
          loading = null
        },
      )
      return loading
    },
  }
}
