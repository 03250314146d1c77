// Browser storage for the real client in Node: named stores that survive a page, and a record of dropped ones.
import type { ZeroOptions } from '@rocicorp/zero'

type StoreProvider = Exclude<NonNullable<ZeroOptions['kvStore']>, string>
type Store = ReturnType<StoreProvider['create']>
type Value = Parameters<Awaited<ReturnType<Store['write']>>['put']>[1]
type Content = ReadonlyMap<string, Value>

export type Browser = { readonly provider: StoreProvider; readonly dropped: readonly string[] }

export function newBrowser(): Browser {
  const contents = new Map<string, Content>()
  const writers = new Map<string, Promise<void>>()
  const dropped: string[] = []
  const provider: StoreProvider = {
    create: (name) => storeOf(name, contents, writers),
    drop: async (name) => {
      dropped.push(name)
      contents.delete(name)
    },
  }
  return { provider, dropped }
}

/** Readers see the content at their start; writers of one name are serialised. */
function storeOf(name: string, contents: Map<string, Content>, writers: Map<string, Promise<void>>): Store {
  let isClosed = false
  const assertOpen = () => {
    if (isClosed) throw new Error('the store is closed')
  }
  const begin = () => {
    const content = new Map(contents.get(name))
    return { content, has: async (key: string) => content.has(key), get: async (key: string) => content.get(key) }
  }
  return {
    read: async () => {
      assertOpen()
      const { has, get } = begin()
      const read = { has, get, closed: false, release: () => Object.assign(read, { closed: true }) }
      return read
    },
    write: async () => {
      assertOpen()
      const before = writers.get(name)
      const { promise, resolve } = Promise.withResolvers<void>()
      writers.set(name, promise)
      await before
      const { content, has, get } = begin()
      const write = {
        ...{ has, get, closed: false },
        put: async (key: string, value: Value) => void content.set(key, value),
        del: async (key: string) => void content.delete(key),
        commit: async () => void contents.set(name, content),
        release: () => {
          write.closed = true
          resolve()
        },
      }
      return write
    },
    close: async () => {
      isClosed = true
    },
    get closed() {
      return isClosed
    },
  }
}
