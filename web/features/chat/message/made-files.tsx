/** Files that a model generated: pictures open in the lightbox, other files download. */
import { isFileAddress } from '../../../../worker/contract/files/files.ts'
import { endingOf, isPicture, madeFileName } from '../../../../worker/contract/files/made-files.ts'
import type { FilePart } from '../../../../worker/contract/threads/messages.ts'
import { formatBytes } from '../../../lib/files/chosen-files.ts'
import { FileChip } from '../../../ui/file-chip.tsx'
import { Picture } from '../../../ui/picture.tsx'
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

/*
 * How a generated file can be shown. For a stored file, the media type comes from its bytes. For an inline file, only its address decides,
 * not the provider's media type. Only picture types without scripts are rendered. No side effects.
 */

export type MadeFile =
  | { readonly kind: 'picture'; readonly name: string; readonly url: string }
  | { readonly kind: 'download'; readonly name: string; readonly url: string; readonly type: string; readonly sizeBytes: number }
  /** Stored by the provider only. */
  | { readonly kind: 'elsewhere'; readonly name: string; readonly url: string; readonly host: string }
  | { readonly kind: 'unknown'; readonly name: string }

const inside = /^data:([a-z]+\/[a-z0-9.+-]+)(?:;[a-z0-9=._-]+)*;base64,/i
/** At least four base64 characters, so that the file is not empty. */
const base64Chars = /[A-Za-z0-9+/]{4}/y

/** `number`: position among the files of the answer. */
export function madeFile(part: FilePart, number: number): MadeFile {
  const { url } = part
  if (isFileAddress(url)) return storedFile(part, number)
  const data = inside.exec(url)
  if (data) return inlineFile(url, (data[1] ?? '').toLowerCase(), data[0].length, number)
  const address = URL.canParse(url) ? new URL(url) : null
  if (address?.protocol === 'https:') return { kind: 'elsewhere', name: t('fileNumber', { number }), url: address.href, host: address.host }
  return { kind: 'unknown', name: t('fileNumber', { number }) }
}

function storedFile({ url, mediaType, filename, sizeBytes = 0 }: FilePart, number: number): MadeFile {
  const name = filename ?? madeFileName(mediaType, number)
  // The picture as the model made it, if the file is a scaled copy.
  if (isPicture(mediaType)) return { kind: 'picture', name, url: `${url}/original` }
  return { kind: 'download', name, url, type: (name.split('.').at(-1) ?? '').toUpperCase(), sizeBytes }
}

/** In an older answer, or without file storage. */
function inlineFile(url: string, mediaType: string, from: number, number: number): MadeFile {
  base64Chars.lastIndex = from
  if (isPicture(mediaType) && base64Chars.test(url)) return { kind: 'picture', name: madeFileName(mediaType, number), url }
  const ending = endingOf(mediaType)
  const sizeBytes = Math.floor(((url.length - from) * 3) / 4)
  return { kind: 'download', name: `${t('fileNumber', { number })}.${ending}`, url, type: ending.toUpperCase(), sizeBytes }
}
