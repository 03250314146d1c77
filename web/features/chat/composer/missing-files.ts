/** Files of drafts that the server has deleted: an unused file is deleted after a day, and a draft may be older. */
import { type AttachedFile, fileAddress } from '../../../../worker/contract/files.ts'
import { publicUrls } from '../../../lib/public-urls.ts'
import { createStore, type Store } from '../../../lib/store.ts'

/** By file id. */
export const missingFiles: Store<ReadonlySet<string>> = createStore<ReadonlySet<string>>(new Set())

const looked = new Set<string>()

/** Checks each file once per page. If the check fails, sending reports a missing file. */
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
