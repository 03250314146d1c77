/** Opens the file dialog; files can also be dropped or pasted. */
import { Paperclip } from 'lucide-react'
import type { RefObject } from 'react'
import { canRead, offeredTypes } from '../../../../worker/contract/files/files.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import { sendingSentence } from '../../../lib/refusals/sending-sentence.ts'
import type { ModelRow } from '../../../sync/rows.ts'
import { FileInput } from '../../../ui/file-input.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { t } from './texts/en.ts'

type AttachButtonProps = {
  readonly inputRef: RefObject<HTMLInputElement | null>
  readonly model: ModelRow | undefined
  readonly onFiles: (files: readonly File[]) => void
}

export function AttachButton({ inputRef, model, onFiles }: AttachButtonProps) {
  const { read, unread } = readableBy(model)
  return (
    <>
      <IconButton
        label={t('attachFiles')}
        description={unread === null ? t('attachDescription', { kinds: read }) : t('attachDescriptionUnread', { kinds: read, unread })}
        disabledReason={pageSettings.files ? undefined : sendingSentence({ code: 'files_unavailable' })}
        onClick={() => inputRef.current?.click()}
      >
        <Paperclip />
      </IconButton>
      <FileInput ref={inputRef} label={t('files')} accept={offeredTypes} onFiles={onFiles} />
    </>
  )
}

type Reader = Parameters<typeof canRead>[0] & { readonly name: string }

/** `unread`: types that can be attached but need another model; null if this one reads everything. */
type Readable = { readonly read: string; readonly unread: string | null }

/**
 * The attachments that the selected model can read. Without a selected model: everything that at least one model reads. The lists are texts,
 * because the first `Intl.ListFormat` of a page would take 85 ms of its first render on a phone.
 */
export function readableBy(model: Reader | undefined): Readable {
  if (!model) return { read: t('imagesPdfsOrText'), unread: null }
  const unread = (kinds: string) => t('cannotRead', { model: model.name, kinds })
  const readsPdfs = canRead(model, 'document')
  if (canRead(model, 'image'))
    return readsPdfs ? { read: t('imagesPdfsOrText'), unread: null } : { read: t('imagesOrText'), unread: unread(t('pdfs')) }
  return readsPdfs ? { read: t('pdfsOrText'), unread: unread(t('images')) } : { read: t('textFiles'), unread: unread(t('imagesOrPdfs')) }
}
