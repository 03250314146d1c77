/** Files of drafts that the server has not got any more: one that no message shows goes after a day, and a draft may be older. */
import { type AttachedFile, fileAddress } from '../../worker/contract/files.ts'
import { publicUrls } from '../lib/public-urls.ts'
import { createStore, type Store } from '../lib/store.ts'

/** By their ids. */
export const missingFiles: Store<ReadonlySet<string>> = createStore<ReadonlySet<string>>(new Set())

const looked = new Set<string>()

/** Asks for each of them once on a page. What cannot be asked now is said when it is sent. */
export function lookFor(files: readonly Pick<AttachedFile, 'id'>[]): void {
  for (const { id } of files) {
    if (looked.has(id)) continue
    looked.add(id)
    fetch(publicUrls().apiUrl + fileAddress(id), { method: 'HEAD', credentials: 'include' }).then(
      ({ status }) => status === 404 && missingFiles.set(new Set(missingFiles.get()).add(id)),
      () => looked.delete(id),
    )
  }
}
