/**
 * Running and failed uploads per draft. A finished upload becomes a file of the draft, which is stored. A reload ends the others: the draft
 * stores their names, so that the next page can list them.
 */
import type { Refusal } from '../../../../worker/contract/errors.ts'
import type { FileType } from '../../../../worker/contract/files.ts'
import { createStore, createStores, type Store } from '../../../lib/store.ts'

export type Upload = {
  readonly uploadId: string
  readonly body: File
  readonly mediaType: FileType
  /** The encoding of a text before its conversion to UTF-8. */
  readonly convertedFrom: string | null
  /** From 0 to 1. */
  readonly progress: number
  /** Why the upload failed; null while it is running. */
  readonly failure: Refusal | null
  /**
   * The message that was being edited when the file was attached; null: the file belongs to the next message, whatever is edited meanwhile.
   */
  readonly editedId: string | null
}

/** By the key of a draft. */
export const { of: uploadsOf, all: allUploads } = createStores<readonly Upload[]>(() => [])

/** The uploads for the message in the composer. */
export const uploadsFor = (all: readonly Upload[], editedId: string | null): readonly Upload[] =>
  all.filter((upload) => upload.editedId === editedId)

/** Files of drafts that the server has deleted: an unused file is deleted after a day, and a draft may be older. By file id. */
export const missingFiles: Store<ReadonlySet<string>> = createStore<ReadonlySet<string>>(new Set())
