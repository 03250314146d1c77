/** The parts of the page of a project. The composer of a new thread stands between them (`routes/chat.tsx`). */
import { Link, useLocation } from '@tanstack/react-router'
import { FileText, FolderMinus, Image as ImageIcon, Paperclip, Search, Settings2, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { titleOf } from '../../../../worker/contract/display-names.ts'
import { type AttachedFile, fileAddress, fileKindOf, hasThumbnail, offeredTypes } from '../../../../worker/contract/files/files.ts'
import { maxProjectFiles, maxProjectInstructionsChars, maxThreadWindow, threadPageSize } from '../../../../worker/contract/limits.ts'
import { mutators } from '../../../../worker/contract/mutators.ts'
import { createId } from '../../../lib/create-id.ts'
import { cx } from '../../../lib/cx.ts'
import { addThumbnail, discardFile, formatBytes, type PreparedFile, prepareFile } from '../../../lib/files/chosen-files.ts'
import { upload } from '../../../lib/files/send-upload.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { formatNumber } from '../../../lib/i18n/intl-format.ts'
import { openOverlay } from '../../../lib/overlays.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import { publicUrls } from '../../../lib/public-urls.ts'
import type { AnyRefusal } from '../../../lib/refusals/sending-sentence.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { serverNowMs } from '../../../lib/server-clock.ts'
import { type Action, settled, useAct } from '../../../sync/act.ts'
import { useProjectThreads } from '../../../sync/library-threads.ts'
import { useProjects } from '../../../sync/organise.ts'
import type { ProjectRow } from '../../../sync/rows.ts'
import { AutosavedField } from '../../../ui/autosaved-field.tsx'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FileInput } from '../../../ui/file-input.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { ProjectIcon } from '../../../ui/project-icon.tsx'
import { LoadingBlock } from '../../../ui/skeleton.tsx'
import { TabBar, TabLink, TabPage, Tabs } from '../../../ui/tab-bar.tsx'
import { fieldClass } from '../../../ui/text-field.tsx'
import { toast } from '../../../ui/toaster.tsx'
import { toastOutcome, useThreadActions } from '../use-thread-actions.ts'
import { headingClass, ThreadItems } from './library-frame.tsx'
import { t } from './texts/en.ts'

/** Its title, above the composer. */
export function ProjectTitle({ projectId }: { readonly projectId: string }) {
  const { projects, isComplete } = useProjects()
  const project = projects.find(({ id }) => id === projectId)
  const className = cx(columnClass, 'pt-[calc(max(1rem,env(safe-area-inset-top))+3rem+var(--bar-notice-height,0px))] touch:mt-2')
  if (!project && !isComplete) {
    return (
      <div className={className}>
        <LoadingBlock className="h-32" />
      </div>
    )
  }
  if (!project) {
    return (
      <div className={className}>
        <h1 className={headingClass}>{t('notFound')}</h1>
        <p className="mt-1 mb-4 text-muted-foreground">{t('notFoundNote')}</p>
        <Link to="/projects" className={buttonClass({ variant: 'primary' })}>
          {t('allProjects')}
        </Link>
      </div>
    )
  }
  return (
    <div className={cx(className, 'flex items-start justify-between gap-3 pb-4')}>
      <h1 className={cx(headingClass, 'flex min-h-9 items-center gap-2.5')}>
        <ProjectIcon icon={project.icon} color={project.color} className="size-6" />
        <span dir="auto">{project.name}</span>
      </h1>
      <Button onClick={() => openOverlay({ projectId })}>
        <Settings2 aria-hidden="true" className="size-4" />
        {t('edit')}
      </Button>
    </div>
  )
}

const columnClass = 'mx-auto w-full max-w-reading px-4 md:px-6'

const projectTabs = [
  { to: '/project/$projectId', name: 'threads' },
  { to: '/project/$projectId/files', name: 'files' },
  { to: '/project/$projectId/instructions', name: 'instructions' },
] as const

/** Its threads, files and instructions, below the composer. Each tab has an address. */
export function ProjectTabs({ project }: { readonly project: ProjectRow }) {
  // The last segment of the address.
  const tab = useLocation({ select: ({ pathname }) => pathname.split('/')[3] })
  const addFile = useAddFile(project.id)
  // Here, so that uploads continue while another tab is shown.
  const uploads = useUploads((file) => settled(addFile(file)))
  return (
    <div className={cx(columnClass, 'pb-24')}>
      <Tabs>
        <TabBar label={t('tabs')}>
          {projectTabs.map(({ to, name }) => (
            <TabLink
              key={to}
              path={to.replace('$projectId', project.id)}
              link={<Link to={to} params={{ projectId: project.id }} activeOptions={{ exact: true }} />}
            >
              {t(name)}
            </TabLink>
          ))}
        </TabBar>
        <TabPage>
          {tab === undefined && <ProjectThreads projectId={project.id} />}
          {tab === 'files' && <ProjectFiles project={project} uploads={uploads} onAdd={addFile} />}
          {tab === 'instructions' && <ProjectInstructions project={project} />}
        </TabPage>
      </Tabs>
    </div>
  )
}

/** Chosen: a list of this length no longer fits into the window. */
const searchedThreads = 8

function ProjectThreads({ projectId }: { readonly projectId: string }) {
  const [limit, setLimit] = useState(threadPageSize)
  const [search, setSearch] = useState('')
  const wanted = search.trim().toLowerCase()
  const { threads, isComplete, hasMore } = useProjectThreads(projectId, wanted === '' ? limit : maxThreadWindow)
  const { move } = useThreadActions()
  const found = threads.filter((thread) => titleOf(thread, firstPaintText).toLowerCase().includes(wanted))
  return (
    <>
      {(threads.length >= searchedThreads || search !== '') && (
        <div className="relative mb-2">
          <Search aria-hidden="true" className="pointer-events-none absolute inset-y-0 left-3 my-auto size-4 text-muted-foreground" />
          <input
            type="search"
            aria-label={t('findThread')}
            placeholder={t('findThread')}
            value={search}
            onChange={({ target }) => setSearch(target.value)}
            className={cx(fieldClass, 'h-9 pl-9! touch:h-11')}
          />
        </div>
      )}
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
    </>
  )
}

function ProjectInstructions({ project: { id, instructions } }: { readonly project: ProjectRow }) {
  const act = useAct()
  const save = async (value: string) => {
    const outcome = await settled(act(mutators.projects.update({ id, at: serverNowMs(), instructions: value })))
    return outcome.ok ? undefined : refusalSentence(outcome.refusal)
  }
  return (
    <AutosavedField
      label={t('instructions')}
      description={t('instructionsDescription')}
      placeholder={t('instructionsExample')}
      rows={6}
      maxChars={maxProjectInstructionsChars}
      saved={instructions ?? ''}
      save={save}
    />
  )
}

function useAddFile(projectId: string): (file: AttachedFile) => Action {
  const act = useAct()
  return (file) => act(mutators.projects.addFile({ id: projectId, file, at: serverNowMs() }))
}

type RunningUpload = { readonly uploadId: string; readonly name: string; readonly progress: number; readonly aborter: AbortController }

type ProjectFilesProps = {
  readonly project: ProjectRow
  readonly uploads: ReturnType<typeof useUploads>
  readonly onAdd: (file: AttachedFile) => Action
}

/** A list, uploads with their progress, and removal with undo. */
function ProjectFiles({ project, uploads: { uploads, start }, onAdd }: ProjectFilesProps) {
  const act = useAct()
  const inputRef = useRef<HTMLInputElement>(null)
  const files = project.files ?? []
  const remaining = maxProjectFiles - files.length - uploads.length
  const reason = remaining < 1 ? 'project_files_full' : undefined

  const remove = (file: AttachedFile) =>
    void toastOutcome(act(mutators.projects.removeFile({ id: project.id, fileId: file.id, at: serverNowMs() })), {
      message: t('fileRemoved'),
      description: file.name,
      undo: () => void toastOutcome(onAdd(file)),
    })
  return (
    <>
      <div className="mb-4 flex flex-wrap items-start justify-between gap-3">
        <p className="min-w-0 flex-1 basis-60 text-muted-foreground text-pretty">{t('filesDescription')}</p>
        {pageSettings.files && (
          <Button disabledReason={reason && refusalSentence({ code: reason })} onClick={() => inputRef.current?.click()}>
            <Paperclip aria-hidden="true" className="size-4" />
            {t('addFiles')}
          </Button>
        )}
        <FileInput ref={inputRef} label={t('addFiles')} accept={offeredTypes} onFiles={(bodies) => void start(bodies, remaining)} />
      </div>
      {files.length + uploads.length === 0 ? (
        <EmptyState icon={FileText}>{t('noFiles')}</EmptyState>
      ) : (
        <ul className="divide-y">
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
    </>
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
