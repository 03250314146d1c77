import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { FileText, FolderMinus, Image as ImageIcon, Paperclip, Plus, Settings2, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { titleOf } from '../../../../worker/contract/display-names.ts'
import { type AttachedFile, fileAddress, fileKindOf, hasThumbnail, offeredTypes } from '../../../../worker/contract/files/files.ts'
import { maxProjectFiles, maxThreadWindow, threadPageSize } from '../../../../worker/contract/limits.ts'
import { mutators } from '../../../../worker/contract/mutators.ts'
import { createId } from '../../../lib/create-id.ts'
import { addThumbnail, discardFile, formatBytes, type PreparedFile, prepareFile } from '../../../lib/files/chosen-files.ts'
import { upload } from '../../../lib/files/send-upload.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { formatNumber } from '../../../lib/i18n/intl-format.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import { publicUrls } from '../../../lib/public-urls.ts'
import type { AnyRefusal } from '../../../lib/refusals/sending-sentence.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { serverNowMs } from '../../../lib/server-clock.ts'
import { settled, useAct } from '../../../sync/act.ts'
import { useMe } from '../../../sync/hooks.ts'
import { useProjectThreads } from '../../../sync/library-threads.ts'
import { useProjects } from '../../../sync/organise.ts'
import type { ProjectRow } from '../../../sync/rows.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { FileInput } from '../../../ui/file-input.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { ProjectIcon } from '../../../ui/project-icon.tsx'
import { LoadingBlock } from '../../../ui/skeleton.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { toast } from '../../../ui/toaster.tsx'
import { toastOutcome, useThreadActions } from '../use-thread-actions.ts'
import { LibraryFrame, ThreadItems } from './library-frame.tsx'
import { ProjectDialog } from './project-dialog.tsx'
import { t } from './texts/en.ts'

export function ProjectPage() {
  const { projectId } = useParams({ from: '/live/project/$projectId' })
  const { projects, isComplete } = useProjects()
  const project = projects.find(({ id }) => id === projectId)
  if (project) return <Project key={project.id} project={project} />
  if (!isComplete) {
    return (
      <LibraryFrame heading="">
        <LoadingBlock className="h-32" />
      </LibraryFrame>
    )
  }
  return (
    <LibraryFrame heading={t('notFound')}>
      <p className="mt-1 mb-4 text-muted-foreground">{t('notFoundNote')}</p>
      <Link to="/projects" className={buttonClass({ variant: 'primary' })}>
        {t('allProjects')}
      </Link>
    </LibraryFrame>
  )
}

function Project({ project }: { readonly project: ProjectRow }) {
  const navigate = useNavigate()
  const [isEditing, setEditing] = useState(false)
  const [limit, setLimit] = useState(threadPageSize)
  const [search, setSearch] = useState('')
  const wanted = search.trim().toLowerCase()
  const { threads, isComplete, hasMore } = useProjectThreads(project.id, wanted === '' ? limit : maxThreadWindow)
  const { move } = useThreadActions()
  const me = useMe()
  const act = useAct()
  /** The model of the next message is a setting of the user. */
  const startThread = () => {
    const { modelId } = project
    if (modelId != null && modelId !== me?.setting?.modelId) void toastOutcome(act(mutators.settings.update({ modelId })))
    void navigate({ to: '/', search: { project: project.id } })
  }
  const found = threads.filter((thread) => titleOf(thread, firstPaintText).toLowerCase().includes(wanted))
  return (
    <LibraryFrame
      heading={
        <span className="flex items-center gap-2.5">
          <ProjectIcon icon={project.icon} color={project.color} className="size-6" />
          <span dir="auto">{project.name}</span>
        </span>
      }
      action={
        <div className="flex gap-2">
          <Button onClick={() => setEditing(true)}>
            <Settings2 aria-hidden="true" className="size-4" />
            {t('edit')}
          </Button>
          <Button variant="primary" onClick={startThread}>
            <Plus aria-hidden="true" className="size-4" />
            {firstPaintText('newThread')}
          </Button>
        </div>
      }
    >
      {project.instructions && (
        <p dir="auto" className="mt-2 line-clamp-3 max-w-prose whitespace-pre-wrap text-muted-foreground">
          {project.instructions}
        </p>
      )}
      <ProjectFiles project={project} />
      <div className="mt-6 mb-2">
        <TextField label={t('findThread')} type="search" value={search} onValueChange={setSearch} />
      </div>
      <ThreadItems
        threads={found}
        isComplete={isComplete}
        hasMore={hasMore && wanted === ''}
        onMore={() => setLimit(limit + threadPageSize)}
        empty={threads.length > 0 ? t('noMatches') : t('noThreads')}
        action={(thread) => (
          <IconButton
            label={t('removeOf', { title: titleOf(thread, firstPaintText) })}
            description={t('remove')}
            onClick={() => move([thread], null)}
          >
            <FolderMinus />
          </IconButton>
        )}
      />
      {isEditing && <ProjectDialog project={project} onClose={() => setEditing(false)} />}
    </LibraryFrame>
  )
}

type RunningUpload = { readonly uploadId: string; readonly name: string; readonly progress: number; readonly aborter: AbortController }

/** The files of a project: a list, uploads with their progress, and removal with undo. */
function ProjectFiles({ project }: { readonly project: ProjectRow }) {
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
