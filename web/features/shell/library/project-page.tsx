import { Link, useNavigate } from '@tanstack/react-router'
import { FolderMinus, Plus, Settings2 } from 'lucide-react'
import { useState } from 'react'
import { titleOf } from '../../../../worker/contract/display-names.ts'
import { maxThreadWindow, threadPageSize } from '../../../../worker/contract/limits.ts'
import { mutators } from '../../../../worker/contract/mutators.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { useAct } from '../../../sync/act.ts'
import { useMe } from '../../../sync/hooks.ts'
import { useProjectThreads } from '../../../sync/library-threads.ts'
import { useProjects } from '../../../sync/organise.ts'
import type { ProjectRow } from '../../../sync/rows.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { ProjectIcon } from '../../../ui/project-icon.tsx'
import { LoadingBlock } from '../../../ui/skeleton.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { toastOutcome, useThreadActions } from '../use-thread-actions.ts'
import { LibraryFrame } from './library-frame.tsx'
import { ProjectDialog } from './project-dialog.tsx'
import { ProjectFiles } from './project-files.tsx'
import { t } from './texts/en.ts'
import { ThreadItems } from './thread-items.tsx'

export function ProjectPage({ projectId }: { readonly projectId: string }) {
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
