/** The files of a project: a list, uploads with their progress, and removal with undo. */
import { FileText, Image as ImageIcon, Paperclip, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { type AttachedFile, fileAddress, fileKindOf, hasThumbnail, offeredTypes } from '../../../../worker/contract/files.ts'
import { maxProjectFiles } from '../../../../worker/contract/limits.ts'
import { mutators } from '../../../../worker/contract/mutators.ts'
import { createId } from '../../../lib/create-id.ts'
import { addThumbnail, discardFile, type PreparedFile, prepareFile } from '../../../lib/files/chosen-files.ts'
import { formatBytes } from '../../../lib/files/file-size-text.ts'
import { upload } from '../../../lib/files/send-upload.ts'
import { formatNumber } from '../../../lib/i18n/intl-format.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import { publicUrls } from '../../../lib/public-urls.ts'
import type { AnyRefusal } from '../../../lib/refusals/sending-sentence.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { serverNowMs } from '../../../lib/server-clock.ts'
import { settled, useAct } from '../../../sync/act.ts'
import type { ProjectRow } from '../../../sync/rows.ts'
import { Button } from '../../../ui/button.tsx'
import { FileInput } from '../../../ui/file-input.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { toast } from '../../../ui/toaster.tsx'
import { toastOutcome } from '../use-thread-actions.ts'
import { t } from './texts/en.ts'

type RunningUpload = { readonly uploadId: string; readonly name: string; readonly progress: number; readonly aborter: AbortController }

export function ProjectFiles({ project }: { readonly project: ProjectRow }) {
  const act = useAct()
  const addFile = (file: AttachedFile) => act(mutators.projects.addFile({ id: project.id, file, at: serverNowMs() }))
  const { uploads, start } = useUploads((file) => settled(addFile(file)))
  const inputRef = useRef<HTMLInputElement>(null)
  const files = project.files ?? []
  const remaining = maxProjectFiles - files.length - uploads.length
  const reason = !pageSettings.files ? 'files_unavailable' : remaining < 1 ? 'project_files_full' : undefined

  const remove = (file: AttachedFile) =>
    void toastOutcome(act(mutators.projects.removeFile({ id: project.id, fileId: file.id, at: serverNowMs() })), {
      message: t('fileRemoved'),
      description: file.name,
      undo: () => void toastOutcome(addFile(file)),
    })
  return (
    <section aria-label={t('files')} className="mt-6">
      <div className="flex items-center justify-between gap-2">
        <h2 className="font-medium">{t('files')}</h2>
        <Button disabledReason={reason && refusalSentence({ code: reason })} onClick={() => inputRef.current?.click()}>
          <Paperclip aria-hidden="true" className="size-4" />
          {t('addFiles')}
        </Button>
        <FileInput ref={inputRef} label={t('addFiles')} accept={offeredTypes} onFiles={(bodies) => void start(bodies, remaining)} />
      </div>
      <p className="mt-1 text-xs text-muted-foreground text-pretty">{t('filesDescription')}</p>
      {files.length + uploads.length > 0 && (
        <ul className="mt-2 divide-y">
          {files.map((file) => (
            <li key={file.id} className="flex min-h-11 items-center gap-2.5">
              <KindIcon mediaType={file.mediaType} />
              <a
                href={publicUrls().apiUrl + fileAddress(file.id)}
                target="_blank"
                rel="noopener noreferrer"
                dir="auto"
                className="min-w-0 flex-1 truncate rounded-sm hover:underline"
              >
                {file.name}
              </a>
              <span className="text-xs text-muted-foreground">{formatBytes(file.sizeBytes)}</span>
              <IconButton label={t('removeFile', { name: file.name })} onClick={() => remove(file)}>
                <X />
              </IconButton>
            </li>
          ))}
          {uploads.map(({ uploadId, name, progress, aborter }) => (
            <li key={uploadId} className="flex min-h-11 items-center gap-2.5 text-muted-foreground">
              <Paperclip aria-hidden="true" className="size-4 shrink-0" />
              <span dir="auto" className="min-w-0 flex-1 truncate">
                {name}
              </span>
              <span className="text-xs tabular-nums">{formatNumber(progress, { style: 'percent' })}</span>
              <IconButton label={t('cancelUpload', { name })} onClick={() => aborter.abort()}>
                <X />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const KindIcon = ({ mediaType }: Pick<AttachedFile, 'mediaType'>) => {
  const Icon = fileKindOf(mediaType) === 'image' ? ImageIcon : FileText
  return <Icon aria-hidden="true" className="size-4 shrink-0 text-muted-foreground" />
}

type Stored = { readonly ok: true } | { readonly ok: false; readonly refusal: AnyRefusal }

/** Uploads continue when the page changes. A refused file is named in a toast. */
function useUploads(onStored: (file: AttachedFile) => Promise<Stored>) {
  const [uploads, setUploads] = useState<readonly RunningUpload[]>([])
  const refuse = (name: string, refusal: AnyRefusal) => toast('error', refusalSentence(refusal), { description: name })

  const send = async ({ body, mediaType, convertedFrom }: PreparedFile): Promise<void> => {
    const [uploadId, aborter] = [createId(), new AbortController()]
    setUploads((all) => [...all, { uploadId, name: body.name, progress: 0, aborter }])
    const setProgress = (progress: number) =>
      setUploads((all) => all.map((one) => (one.uploadId === uploadId ? { ...one, progress } : one)))
    const outcome = await upload(body, { uploadId, name: body.name, mediaType }, setProgress, aborter.signal)
    setUploads((all) => all.filter((one) => one.uploadId !== uploadId))
    if (!outcome.ok) {
      if (!aborter.signal.aborted) refuse(body.name, outcome.refusal)
      return
    }
    if (hasThumbnail(outcome.file)) void addThumbnail(outcome.file.id, body).catch(() => undefined)
    const added = await onStored(outcome.file)
    if (added.ok) {
      if (convertedFrom !== null) toast('success', t('convertedFrom', { encoding: convertedFrom }), { description: body.name })
      return
    }
    discardFile(outcome.file.id)
    refuse(body.name, added.refusal)
  }
  const start = async (bodies: readonly File[], remaining: number): Promise<void> => {
    for (const [index, chosen] of bodies.entries()) {
      const prepared = index < remaining ? await prepareFile(chosen) : ({ code: 'project_files_full' } as const)
      if ('code' in prepared) refuse(chosen.name, prepared)
      else void send(prepared)
    }
  }
  return { uploads, start }
}
