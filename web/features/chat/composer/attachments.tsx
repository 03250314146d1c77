/** Attachments of the next message: uploaded files, and uploads with their progress. */
import { RotateCw, X } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { type AttachedFile, fileKindOf } from '../../../../worker/contract/files/files.ts'
import { originalAddress, thumbnailAddress } from '../../../../worker/contract/files/image-addresses.ts'
import { cx } from '../../../lib/cx.ts'
import { formatBytes } from '../../../lib/files/chosen-files.ts'
import { formatNumber } from '../../../lib/i18n/intl-format.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { useStore } from '../../../lib/store.ts'
import { linkClass } from '../../../ui/button.tsx'
import { FileChip } from '../../../ui/file-chip.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Picture } from '../../../ui/picture.tsx'
import { toast } from '../../../ui/toaster.tsx'
import { cancelUpload, checkFiles, conversionOf, detach, insertPasted, previewOf, retryUpload } from './attach-files.ts'
import { FileModel, type FileModelProps } from './file-model.tsx'
import { focusNeighbour } from './focus-neighbour.ts'
import { pastedName } from './pasted-text.ts'
import { t } from './texts/en.ts'
import { missingFiles, type Upload } from './uploads.ts'

type AttachmentsProps = Omit<FileModelProps, 'files'> & { readonly files: readonly AttachedFile[]; readonly uploads: readonly Upload[] }

export function Attachments({ files, uploads, ...props }: AttachmentsProps) {
  return (
    <>
      <FileModel {...props} files={[...files, ...uploads]} />
      {(files.length > 0 || uploads.length > 0) && <Files draftKey={props.draftKey} files={files} uploads={uploads} />}
    </>
  )
}

function Files({ draftKey, files, uploads }: Pick<AttachmentsProps, 'draftKey' | 'files' | 'uploads'>) {
  const missing = useStore(missingFiles)
  // Files that this page uploaded have a preview already.
  useEffect(() => checkFiles(files.filter(({ id }) => previewOf(id) === undefined)), [files])
  const pictures = files.filter(({ id, mediaType }) => fileKindOf(mediaType) === 'image' && !missing.has(id))
  const images = pictures.map((file) => ({ url: originalAddress(file), smallUrl: thumbnailAddress(file), name: file.name }))
  return (
    <ul aria-label={t('attachments')} className="flex flex-wrap gap-2 px-3 pt-3">
      {files.map((file) => (
        <Tile key={file.id} name={file.name} onRemove={() => detach(draftKey, file.id)}>
          {pictures.includes(file) ? (
            <Picture images={images} at={pictures.indexOf(file)} previewUrl={previewOf(file.id)} className="size-16 rounded-xl" />
          ) : (
            <FileChip
              name={pastedName(file.name) ?? file.name}
              kind={kindName(file.mediaType)}
              detail={detailOf(file)}
              problem={missing.has(file.id) ? t('fileUnavailable') : undefined}
              className={cx('h-16 pr-6', missing.has(file.id) && 'border-danger/50', conversionOf(file.id) !== undefined && 'w-72')}
            />
          )}
          {pastedName(file.name) !== null && !missing.has(file.id) && <InsertAsText draftKey={draftKey} id={file.id} />}
        </Tile>
      ))}
      {uploads.map((upload) => (
        <Tile
          key={upload.uploadId}
          name={upload.body.name}
          onRemove={() => cancelUpload(draftKey, upload.uploadId)}
          isUploading={!upload.failure}
        >
          <Pending upload={upload} onRetry={() => retryUpload(draftKey, upload.uploadId)} />
          {pastedName(upload.body.name) !== null && <InsertAsText draftKey={draftKey} id={upload.uploadId} />}
        </Tile>
      ))}
    </ul>
  )
}

const detailOf = ({ id, sizeBytes }: AttachedFile): string => {
  const encoding = conversionOf(id)
  return encoding === undefined ? formatBytes(sizeBytes) : t('convertedFrom', { encoding })
}

const kindName = (mediaType: string): string => ({ image: t('image'), document: 'PDF', text: t('text') })[fileKindOf(mediaType)]

/** Turns a pasted text back. `id`: of the file, or of its upload. */
const InsertAsText = ({ draftKey, id }: { readonly draftKey: string; readonly id: string }) => (
  <button
    type="button"
    className={cx(linkClass, 'touch-target mt-1 text-xs')}
    onClick={() => void insertPasted(draftKey, id).then((isDone) => isDone || toast('error', t('textNotRead')))}
  >
    {t('insertAsText')}
  </button>
)

type TileProps = {
  readonly name: string
  readonly isUploading?: boolean
  readonly onRemove: () => void
  readonly children: ReactNode
}

function Tile({ name, isUploading = false, onRemove, children }: TileProps) {
  return (
    <li className="relative max-w-full">
      {children}
      <IconButton
        size="sm"
        data-remove-file=""
        label={t(isUploading ? 'cancelUpload' : 'removeNamed', { name })}
        className="absolute -top-1.5 -right-1.5 size-6! rounded-full! bg-foreground! text-background! shadow-sm [&_svg]:size-3.5"
        onClick={({ currentTarget }) => {
          focusNeighbour(currentTarget.closest('li'), '[data-remove-file]')
          onRemove()
        }}
      >
        <X />
      </IconButton>
    </li>
  )
}

function Pending({ upload, onRetry }: { readonly upload: Upload; readonly onRetry: () => void }) {
  const { body, mediaType, progress, failure } = upload
  const percent = Math.round(progress * 100)
  return (
    <div className="relative overflow-hidden rounded-xl">
      <FileChip
        name={pastedName(body.name) ?? body.name}
        kind={kindName(mediaType)}
        detail={t('uploadProgress', { percent: formatNumber(progress, { style: 'percent' }), size: formatBytes(body.size) })}
        problem={failure ? refusalSentence(failure) : undefined}
        className={failure ? 'h-16 w-80 border-danger/50 pr-10' : 'h-16 pr-6'}
      />
      {failure ? (
        <IconButton
          size="sm"
          label={t('retryUpload', { name: body.name })}
          description={refusalSentence(failure)}
          className="absolute right-2 bottom-3"
          onClick={onRetry}
        >
          <RotateCw />
        </IconButton>
      ) : (
        <span
          role="progressbar"
          aria-label={t('uploading', { name: body.name })}
          aria-valuenow={percent}
          aria-valuemin={0}
          aria-valuemax={100}
          className="absolute inset-x-0 bottom-0 h-0.5 origin-left border-0! bg-accent transition-transform forced-color-adjust-none"
          style={{ transform: `scaleX(${Math.max(0.02, progress)})` }}
        />
      )}
    </div>
  )
}
