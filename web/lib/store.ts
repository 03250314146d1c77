/** A value outside of React that components can subscribe to. For state that the server does not have. */
import { useSyncExternalStore } from 'react'

export type Store<T> = { readonly get: () => T; readonly set: (value: T) => void; readonly subscribe: (listener: () => void) => () => void }

export function createStore<T>(initial: T): Store<T> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return
      value = next
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** A store for each key, created on first access. */
export function createStores<T>(initial: (key: string) => T): {
  readonly of: (key: string) => Store<T>
  readonly all: () => Iterable<Store<T>>
} {
  const stores = new Map<string, Store<T>>()
  return {
    of: (key) => {
      const store = stores.get(key) ?? createStore(initial(key))
      stores.set(key, store)
      return store
    },
    all: () => stores.values(),
  }
}

/** Subscribes to one part: other changes do not render the component. */
export const useStored = <T, Part>({ subscribe, get }: Store<T>, read: (value: T) => Part): Part =>
  useSyncExternalStore(subscribe, () => read(get()))

export const useStore = <T>({ subscribe, get }: Store<T>): T => useSyncExternalStore(subscribe, get)
