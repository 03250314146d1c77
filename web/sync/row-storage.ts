/** Selects the storage of the sync client, and removes the rows of ended sessions from it. Without a working IndexedDB the client never becomes ready, so it then runs in memory. */
import { dropDatabase, type ZeroOptions } from '@rocicorp/zero'
import { useEffect, useMemo, useState } from 'react'

const probeName = 'parley-probe'
const probeStore = 'chunks'
/** Chosen: an IndexedDB whose opening or write takes longer counts as broken. */
const probeTimeoutMs = 5000

/** Opens a database and writes to it. Resolves to false if either throws, fails, is aborted, or takes too long. */
export async function canStoreRows(factory: () => IDBFactory): Promise<boolean> {
  try {
    const database = await within(probeTimeoutMs, openProbe(factory()))
    try {
      await within(probeTimeoutMs, writeProbe(database))
    } finally {
      database.close()
    }
    return true
  } catch {
    return false
  }
}

function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const timeout = new Promise<never>((_, reject) => setTimeout(() => reject(new Error('no answer in time')), timeoutMs))
  return Promise.race([work, timeout])
}

function openProbe(factory: IDBFactory): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = factory.open(probeName)
    request.onupgradeneeded = () => void request.result.createObjectStore(probeStore)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

function writeProbe(database: IDBDatabase): Promise<void> {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(probeStore, 'readwrite', { durability: 'relaxed' })
    transaction.oncomplete = () => resolve()
    transaction.onerror = () => reject(transaction.error)
    transaction.onabort = () => reject(transaction.error)
    transaction.objectStore(probeStore).put('probe', 'probe')
  })
}

/** Firefox throws on access if storage is blocked. */
function hasIndexedDB(): boolean {
  try {
    return Boolean(indexedDB)
  } catch {
    return false
  }
}

/** Runs in parallel with the start of the sync client, so that a working browser does not wait. */
let probe: Promise<boolean> | undefined

function probeOnce() {
  probe ??= canStoreRows(() => indexedDB)
  return probe
}

type StorageOptions = { readonly [Option in 'kvStore' | 'storageKey' | 'logSink']-?: NonNullable<ZeroOptions[Option]> }

/** Options of the sync client. They change once if the probe fails. `onUnstored` is called when rows are not stored. */
export function useRowStorage(onUnstored: () => void): StorageOptions {
  const [isStored, setStored] = useState(hasIndexedDB)
  useEffect(() => {
    if (!isStored) return onUnstored()
    let isCurrent = true
    void probeOnce().then((works) => isCurrent && setStored(works))
    return () => {
      isCurrent = false
    }
  }, [isStored, onUnstored])
  const logSink = useMemo(() => createLogSink(onUnstored), [onUnstored])
  // Another name: a client of the same name would wait for the one that never became ready to close.
  return isStored ? { kvStore: 'idb', storageKey: '', logSink } : { kvStore: 'mem', storageKey: 'memory', logSink }
}

/** Logged by the client if a later write fails, for example on a full disk. The client continues in memory. */
const failedWrite = 'Error during persist'

export function createLogSink(onUnstored: () => void): NonNullable<StorageOptions['logSink']> {
  return {
    log: (level, context, ...args) => {
      if (args.includes(failedWrite)) onUnstored()
      // biome-ignore lint/suspicious/noConsole: the client's default sink does the same
      console[level](...Object.entries(context ?? {}).map(([key, value]) => `${key}=${String(value)}`), ...args)
    },
  }
}

/** Each tab that uses a user's rows holds a shared lock; their removal waits for the exclusive lock. */
const lockOf = (userId: string): string => `parley:rows:${userId}`

/** Holds the lock on the user's rows until the returned function is called. */
export function lockRows(userId: string): () => void {
  if (!('locks' in navigator)) return () => undefined
  const { promise, resolve } = Promise.withResolvers<void>()
  // Rejected only while the page is closing.
  navigator.locks.request(lockOf(userId), { mode: 'shared' }, () => promise).catch(() => undefined)
  return resolve
}

/** A database of the sync client has the user in its name. The rest of the name differs between versions of the page. */
const databaseName = /^rep:zero-(.+)-[0-9a-z]+:\d+(?::|$)/

/** Empty if the browser cannot list them. */
async function listDatabases(): Promise<readonly IDBDatabaseInfo[]> {
  try {
    return await indexedDB.databases()
  } catch {
    return []
  }
}

/**
 * Removes the rows of all users but one, each once no tab shows them. Null: the server says that this browser has no session. A failure or a
 * closed page leaves rows, which the next page removes.
 */
export async function removeRowsExcept(userId: string | null): Promise<void> {
  if (!hasIndexedDB()) return
  const databases = await listDatabases()
  const byUser = Map.groupBy(
    databases.flatMap(({ name = '' }) => {
      const owner = databaseName.exec(name)?.[1]
      return owner === undefined || owner === userId ? [] : [{ name, owner }]
    }),
    ({ owner }) => owner,
  )
  const removals = [...byUser].map(([owner, owned]) => {
    const drop = () => Promise.allSettled(owned.map(({ name }) => dropDatabase(name)))
    return 'locks' in navigator ? navigator.locks.request(lockOf(owner), drop) : drop()
  })
  await Promise.allSettled(removals)
}
