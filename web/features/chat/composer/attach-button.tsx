/** Opens the file dialog; files can also be dropped or pasted. */
import { Paperclip } from 'lucide-react'
import type { RefObject } from 'react'
import { canRead, offeredTypes } from '../../../../worker/contract/files.ts'
import { formatList } from '../../../lib/i18n/intl-format.ts'
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
        hint={unread === null ? t('attachHint', { kinds: read }) : t('attachHintUnread', { kinds: read, unread })}
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

/** The attachments that the selected model can read. Without a selected model: everything that at least one model reads. */
export function readableBy(model: Reader | undefined): Readable {
  const kinds = (['image', 'document'] as const).map((kind) => ({ kind, isRead: !model || canRead(model, kind) }))
  const nameOf = ({ kind }: (typeof kinds)[number]) => t(kind === 'image' ? 'images' : 'pdfs')
  const read = [...kinds.filter(({ isRead }) => isRead).map(nameOf), t('textFiles')]
  const unread = kinds.filter(({ isRead }) => !isRead).map(nameOf)
  return {
    read: formatList(read, 'disjunction'),
    unread: !model || unread.length === 0 ? null : t('cannotRead', { model: model.name, kinds: formatList(unread, 'disjunction') }),
  }
}
