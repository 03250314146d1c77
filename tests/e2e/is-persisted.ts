/** Reads IndexedDB. */
import type { Page } from 'playwright-core'

/** True once the sync client has written this text to IndexedDB. */
export const isPersisted = (page: Page, text: string): Promise<boolean> =>
  page.evaluate(async (wanted) => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await done(indexedDB.open(name))
      const stores = [...database.objectStoreNames].map((store) => done(database.transaction(store).objectStore(store).getAll()))
      const isFound = JSON.stringify(await Promise.all(stores)).includes(wanted)
      database.close()
      if (isFound) return true
    }
    return false
  }, text)
