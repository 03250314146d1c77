/** Attached files of a message: pictures open in the lightbox, other files open or download. */
import { type AttachedFile, fileAddress, fileKindOf } from '../../../../worker/contract/files/files.ts'
import { originalAddress, thumbnailAddress } from '../../../../worker/contract/files/image-addresses.ts'
import { cx } from '../../../lib/cx.ts'
import { formatBytes } from '../../../lib/files/chosen-files.ts'
import { FileChip } from '../../../ui/file-chip.tsx'
import { Picture } from '../../../ui/picture.tsx'
import { previewOf } from '../composer/attach-files.ts'
import { pastedName } from '../composer/pasted-text.ts'
import { t } from './texts/en.ts'

type MessageFilesProps = { readonly files: readonly AttachedFile[]; readonly isSmall?: boolean; readonly className?: string }

export function MessageFiles({ files, isSmall = false, className }: MessageFilesProps) {
  const pictures = files.filter(({ mediaType }) => fileKindOf(mediaType) === 'image')
  const images = pictures.map((file) => ({ url: originalAddress(file), smallUrl: thumbnailAddress(file), name: file.name }))
  // Pictures get separate lines above the other files.
  const isMixed = pictures.length > 0 && pictures.length < files.length
  return (
    <ul
      aria-label={t('attachedFiles')}
      className={cx(
        'mb-1.5 flex max-w-full flex-wrap items-end justify-end gap-1.5 rounded-2xl',
        isMixed && 'after:order-1 after:-mb-1.5 after:basis-full after:content-[""]',
        className,
      )}
    >
      {files.map((file) => (
        <li key={file.id} className={cx('max-w-full', isMixed && !pictures.includes(file) && 'order-2')}>
          {pictures.includes(file) ? (
            <Picture
              images={images}
              at={pictures.indexOf(file)}
              previewUrl={previewOf(file.id)}
              className={
                isSmall
                  ? 'size-16 rounded-xl'
                  : pictures.length > 1
                    ? 'size-32 rounded-xl max-sm:size-24'
                    : 'h-56 w-72 max-w-full rounded-2xl'
              }
            />
          ) : (
            <FileChip
              name={pastedName(file.name) ?? file.name}
              kind={fileKindOf(file.mediaType) === 'document' ? 'PDF' : t('text')}
              detail={formatBytes(file.sizeBytes)}
              href={fileAddress(file.id)}
            />
          )}
        </li>
      ))}
    </ul>
  )
}
