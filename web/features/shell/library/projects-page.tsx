import { Link } from '@tanstack/react-router'
import { Archive, Bookmark, ChevronRight, Folders, Plus } from 'lucide-react'
import { useState } from 'react'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { useProjects } from '../../../sync/organise.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { ProjectIcon } from '../../../ui/project-icon.tsx'
import { LibraryFrame } from './library-frame.tsx'
import { ProjectDialog } from './project-dialog.tsx'
import { t } from './texts/en.ts'

export function ProjectsPage() {
  const { projects, isComplete } = useProjects()
  const [isCreating, setCreating] = useState(false)
  return (
    <LibraryFrame
      heading={firstPaintText('projects')}
      action={
        <Button variant="primary" onClick={() => setCreating(true)}>
          <Plus aria-hidden="true" className="size-4" />
          {t('newProject')}
        </Button>
      }
    >
      <p className="mt-1 mb-4 text-muted-foreground text-pretty">{t('projectsNote')}</p>
      {/* Above the list, whose height is unknown until it is loaded. */}
      <div className="mb-4 -ml-2.5 flex flex-wrap gap-1">
        <Link to="/bookmarks" className={buttonClass({ variant: 'ghost', className: 'text-muted-foreground' })}>
          <Bookmark aria-hidden="true" className="size-4" />
          {t('bookmarks')}
        </Link>
        <Link to="/archive" className={buttonClass({ variant: 'ghost', className: 'text-muted-foreground' })}>
          <Archive aria-hidden="true" className="size-4" />
          {t('archivedThreads')}
        </Link>
      </div>
      {projects.length > 0 ? (
        <ul className="divide-y rounded-lg border">
          {projects.map(({ id, name, icon, color }) => (
            <li key={id}>
              <Link
                to="/project/$projectId"
                params={{ projectId: id }}
                className="flex min-h-12 items-center gap-3 rounded-md px-3 -outline-offset-2 hover:bg-foreground/5"
              >
                <ProjectIcon icon={icon} color={color} className="size-5" />
                <span dir="auto" className="min-w-0 flex-1 truncate font-medium">
                  {name}
                </span>
                <ChevronRight aria-hidden="true" className="size-4 text-muted-foreground" />
              </Link>
            </li>
          ))}
        </ul>
      ) : (
        <EmptyState icon={Folders} isLoading={!isComplete}>
          {t('noProjects')}
        </EmptyState>
      )}
      {isCreating && <ProjectDialog project={null} onClose={() => setCreating(false)} />}
    </LibraryFrame>
  )
}
