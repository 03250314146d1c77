/**
 * A library that is fetched when it is first met, as a store that a component can subscribe to. A failure is caught here, around the whole of
 * `fetch`: what stands behind `import()` in it, the bundler puts inside its own loading of styles, whose failure would pass it by.
 */

export type LaterModule<T> = {
  readonly current: () => T | null
  readonly subscribe: (listener: () => void) => () => void
  /** Resolves when it is here or out of reach; whoever asks after a failure tries again. */
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
          // What it was to draw can be read as it was written; the next one on screen asks again.
          loading = null
        },
      )
      return loading
    },
  }
}
