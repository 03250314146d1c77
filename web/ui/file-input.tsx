/** An invisible file input. A button opens its dialog by a click on `ref`. */
import type { RefObject } from 'react'

type FileInputProps = {
  readonly ref: RefObject<HTMLInputElement | null>
  readonly label: string
  /** Only a filter for the system dialog. */
  readonly accept: string
  readonly isSingle?: boolean
  readonly onFiles: (files: readonly File[]) => void
}

export function FileInput({ ref, label, accept, isSingle = false, onFiles }: FileInputProps) {
  return (
    <input
      ref={ref}
      type="file"
      multiple={!isSingle}
      hidden
      accept={accept}
      aria-label={label}
      onChange={({ target }) => {
        onFiles([...(target.files ?? [])])
        // Without this, selecting the same file again fires no event.
        target.value = ''
      }}
    />
  )
}
