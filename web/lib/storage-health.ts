/** State of the browser's storage, and the notice for each failure. */
import { isLocalStoragePersistent } from './storage-fallback.ts'
import { createStore } from './store.ts'
import { libText } from './texts/en.ts'

type StorageHealth = {
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

export function storageNotice({ storesRows, storesTexts }: StorageHealth): string | null {
  if (storesRows && storesTexts) return null
  if (storesRows) return libText('draftsNotSaved')
  return libText(storesTexts ? 'threadsNotStored' : 'nothingStored')
}

/** The notice that the user has dismissed in this tab. */
export const dismissedNotice = createStore<string | null>(null)
