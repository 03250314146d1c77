/** Opens the file dialog; files can also be dropped or pasted. */
import { Paperclip } from 'lucide-react'
import { useRef } from 'react'
import { refusals } from '../../../../worker/contract/errors.ts'
import { canRead } from '../../../../worker/contract/files.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import type { ModelRow } from '../../../sync/rows.ts'
import { IconButton } from '../../../ui/icon-button.tsx'

/** Only a filter for the system dialog; every file is validated afterwards. */
const accept =
  'image/png,image/jpeg,image/gif,image/webp,application/pdf,text/*,.md,.csv,.json,.log,.yaml,.yml,.toml,.xml,.ts,.tsx,.js,.py,.sql'

type AttachButtonProps = { readonly model: ModelRow | undefined; readonly onFiles: (files: readonly File[]) => void }

export function AttachButton({ model, onFiles }: AttachButtonProps) {
  const { read, unread } = readableBy(model)
  const inputRef = useRef<HTMLInputElement>(null)
  return (
    <>
      <IconButton
        label="Attach files"
        hint={`Attach ${read}${unread === null ? '' : `. ${unread}`}`}
        disabledReason={pageSettings.files ? undefined : refusals.files_unavailable}
        onClick={() => inputRef.current?.click()}
      >
        <Paperclip />
      </IconButton>
      <input
        ref={inputRef}
        type="file"
        multiple
        hidden
        accept={accept}
        aria-label="Files"
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])])
          // Without this, selecting the same file again fires no event.
          target.value = ''
        }}
      />
    </>
  )
}

type Reader = Parameters<typeof canRead>[0] & { readonly name: string }

/** British English: no comma before "or". */
const either = new Intl.ListFormat('en-GB', { type: 'disjunction' })
const named = { image: 'images', document: 'PDFs' } as const

/** `unread`: types that can be attached but need another model; null if this one reads everything. */
export type Readable = { readonly read: string; readonly unread: string | null }

/** The attachments that the selected model can read. Without a selected model: everything that at least one model reads. */
export function readableBy(model: Reader | undefined): Readable {
  const kinds = (['image', 'document'] as const).map((kind) => ({ kind, isRead: !model || canRead(model, kind) }))
  const read = [...kinds.filter(({ isRead }) => isRead).map(({ kind }) => named[kind]), 'text']
  const unread = kinds.filter(({ isRead }) => !isRead).map(({ kind }) => named[kind])
  return {
    read: either.format(read),
    unread: !model || unread.length === 0 ? null : `${model.name} cannot read ${either.format(unread)}: they wait for another model.`,
  }
}
