/** Opens the file dialog; files can also be dropped or pasted. */
import { Paperclip } from 'lucide-react'
import { useRef } from 'react'
import { refusals } from '../../../../worker/contract/errors.ts'
import { pageHint } from '../../../lib/page-hint.ts'
import type { ModelRow } from '../../../sync/rows.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { readableBy } from './readable.ts'

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
        disabledReason={pageHint.files ? undefined : refusals.files_unavailable}
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
