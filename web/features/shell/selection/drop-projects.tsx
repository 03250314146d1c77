/** The projects as drop targets, shown at the end of the sidebar while threads are dragged. */
import { FolderMinus } from 'lucide-react'
import { type DragEvent, type ReactNode, useState } from 'react'
import { cx } from '../../../lib/cx.ts'
import { useStore } from '../../../lib/store.ts'
import { useProjects } from '../../../sync/organise.ts'
import type { ThreadRow } from '../../../sync/rows.ts'
import { ProjectIcon } from '../../../ui/project-icon.tsx'
import { t } from '../library/texts/en.ts'
import { useThreadActions } from '../use-thread-actions.ts'
import { draggedId, selection } from './selection.ts'

type DropProjectsProps = { readonly id: string; readonly threads: readonly ThreadRow[] }

/** Dragging a selected row moves all selected rows. */
export function DropProjects({ id: dragged, threads }: DropProjectsProps) {
  const { projects } = useProjects()
  const { move } = useThreadActions()
  const selected = useStore(selection)?.ids
  const moving = threads.filter(({ id }) => (selected?.has(dragged) ? selected.has(id) : id === dragged))
  const drop = (to: { readonly id: string; readonly name: string } | null) => {
    const moved = moving.filter(({ projectId }) => (projectId ?? null) !== (to?.id ?? null))
    if (moved.length > 0) move(moved, to)
    selection.set(null)
    // A row that is no longer in the page sends no `dragend`.
    draggedId.set(null)
  }
  return (
    <section aria-label={t('moveTitle')} className="max-h-[40%] shrink-0 overflow-y-auto border-t p-2">
      <h2 className="px-2.5 pt-1 pb-1.5 text-xs font-medium text-muted-foreground">{t('moveTitle')}</h2>
      {projects.length === 0 && <p className="px-2.5 pb-1 text-muted-foreground">{t('noProjects')}</p>}
      <ul>
        {projects.map((project) => (
          <DropTarget
            key={project.id}
            icon={<ProjectIcon icon={project.icon} color={project.color} />}
            name={project.name}
            onDrop={() => drop(project)}
          />
        ))}
        {moving.some(({ projectId }) => projectId != null) && (
          <DropTarget icon={<FolderMinus aria-hidden="true" className="size-4" />} name={t('noProject')} onDrop={() => drop(null)} />
        )}
      </ul>
    </section>
  )
}

type DropTargetProps = { readonly icon: ReactNode; readonly name: string; readonly onDrop: () => void }

function DropTarget({ icon, name, onDrop }: DropTargetProps) {
  const [isOver, setOver] = useState(false)
  // Without it, the browser refuses the drop.
  const accept = (event: DragEvent) => {
    event.preventDefault()
    setOver(true)
  }
  return (
    <li
      onDragEnter={accept}
      onDragOver={accept}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        onDrop()
      }}
      className={cx('flex h-9 items-center gap-2.5 rounded-md px-2.5 *:pointer-events-none', isOver && 'bg-accent/14')}
    >
      {icon}
      <span dir="auto" className="min-w-0 flex-1 truncate">
        {name}
      </span>
    </li>
  )
}
