/** State of the browser's storage. */
import { isLocalStoragePersistent } from './storage-fallback.ts'
import { createStore } from './store.ts'

export type StorageHealth = {
  /** The rows of the sync client, in IndexedDB. */
  readonly storesRows: boolean
  /** Drafts and the texts of unsent messages, in `localStorage`. */
  readonly storesTexts: boolean
}

export const storageHealth = createStore<StorageHealth>({ storesRows: true, storesTexts: isLocalStoragePersistent })

export const reportUnstoredRows = (): void => storageHealth.set({ ...storageHealth.get(), storesRows: false })

/** The outcome of the latest write of a draft. */
export function reportDraftWrite(isStored: boolean): void {
  const health = storageHealth.get()
  const storesTexts = isStored && isLocalStoragePersistent
  if (health.storesTexts !== storesTexts) storageHealth.set({ ...health, storesTexts })
}

export const storesEverything = ({ storesRows, storesTexts }: StorageHealth): boolean => storesRows && storesTexts
