/**
 * Running and failed uploads per draft. A finished upload becomes a file of the draft, which is stored. A reload ends the others: the draft
 * stores their names, so that the next page can list them.
 */
import { type Refusal, refusal } from '../../../../worker/contract/errors.ts'
import type { AttachedFile, FileType } from '../../../../worker/contract/files/files.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import { createStore, createStores, type Store, useStore } from '../../../lib/store.ts'
import { draftOf } from './drafts.ts'

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

type ComposerFiles = {
  readonly files: readonly AttachedFile[]
  readonly uploads: readonly Upload[]
  readonly add: (files: readonly File[]) => void
}

type Report = (refusal: Refusal, text?: string) => void

/** `report` receives the reason when a file is rejected. */
export function useAttachments(draftKey: string, report: Report): ComposerFiles {
  const { files, editing } = useStore(draftOf(draftKey))
  const uploads = uploadsFor(useStore(uploadsOf(draftKey)), editing?.messageId ?? null)
  return { files, uploads, add: (chosen) => void attachFiles(draftKey, chosen, report) }
}

async function attachFiles(draftKey: string, chosen: readonly File[], report: Report): Promise<void> {
  if (chosen.length === 0) return
  if (!pageSettings.files) return report(refusal('files_unavailable'))
  const loaded = await import('./attach-files.ts').catch(() => null)
  if (!loaded) return report(refusal('upload_failed'))
  const refused = await loaded.attach(draftKey, chosen)
  const [first] = refused
  if (first) report(first.refusal, loaded.refusedText(refused))
}
