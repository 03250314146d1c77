/** Files that a model generated: pictures open in the lightbox, other files download. */
import { formatBytes } from '../../../lib/files/chosen-files.ts'
import { FileChip } from '../../../ui/file-chip.tsx'
import { Picture } from '../../../ui/picture.tsx'
import type { MadeFile } from './made-file.ts'
import { t } from './texts/en.ts'

/** A picture has its size before it is decoded and keeps it when another picture arrives. */
export function MadeFiles({ files }: { readonly files: readonly MadeFile[] }) {
  const images = files.filter((file) => file.kind === 'picture')
  return (
    <ul aria-label={t('answerFiles')} className="flex max-w-full flex-wrap items-end gap-2">
      {files.map((file) => (
        <li key={file.name} className="max-w-full">
          {file.kind === 'picture' ? (
            <Picture
              images={images}
              at={images.indexOf(file)}
              isWhole
              brokenNote={t('cannotShow')}
              className="aspect-square w-80 max-w-full rounded-2xl"
            />
          ) : (
            <OtherFile file={file} />
          )}
        </li>
      ))}
    </ul>
  )
}

function OtherFile({ file }: { readonly file: Exclude<MadeFile, { kind: 'picture' }> }) {
  switch (file.kind) {
    case 'download':
      return <FileChip name={file.name} kind={file.type} detail={formatBytes(file.sizeBytes)} href={file.url} isSaved />
    case 'elsewhere':
      return <FileChip name={file.name} kind={t('link')} detail={file.host} href={file.url} />
    case 'unknown':
      return <p className="text-sm text-muted-foreground">{t('cannotOpen')}</p>
  }
}
