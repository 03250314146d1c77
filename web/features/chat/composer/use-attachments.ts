/** Attachments of the composer: uploaded files, uploads, and one function to add files by click, drop or paste. */
import { type Refusal, refusal } from '../../../../worker/contract/errors.ts'
import type { AttachedFile } from '../../../../worker/contract/files.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import { useStore } from '../../../lib/store.ts'
import { draftOf } from './drafts.ts'
import { type Upload, uploadsFor, uploadsOf } from './uploads.ts'

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
