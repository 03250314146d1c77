/** Opens the file dialog; files can also be dropped or pasted. A model that cannot read them is replaced (`file-model.tsx`). */
import { Paperclip } from 'lucide-react'
import type { RefObject } from 'react'
import { offeredTypes } from '../../../../worker/contract/files/files.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import { FileInput } from '../../../ui/file-input.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { t } from './texts/en.ts'

type AttachButtonProps = {
  readonly inputRef: RefObject<HTMLInputElement | null>
  readonly onFiles: (files: readonly File[]) => void
}

export function AttachButton({ inputRef, onFiles }: AttachButtonProps) {
  if (!pageSettings.files) return null
  return (
    <>
      <IconButton label={t('attachFiles')} description={t('attachDescription')} onClick={() => inputRef.current?.click()}>
        <Paperclip />
      </IconButton>
      <FileInput ref={inputRef} label={t('files')} accept={offeredTypes} onFiles={onFiles} />
    </>
  )
}
