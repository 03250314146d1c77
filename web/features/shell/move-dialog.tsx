import { Check, FolderMinus, Plus } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { maxProjectNameChars } from '../../../worker/contract/limits.ts'
import { mutators } from '../../../worker/contract/mutators.ts'
import { cleanName } from '../../../worker/contract/names.ts'
import { createId } from '../../lib/create-id.ts'
import { refusalSentence } from '../../lib/refusals/sentence.ts'
import { serverNowMs } from '../../lib/server-clock.ts'
import { useAct } from '../../sync/act.ts'
import { useProjects } from '../../sync/organise.ts'
import type { ThreadRow } from '../../sync/rows.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ProjectIcon } from '../../ui/project-icon.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { t } from './library/texts/en.ts'
import { selection } from './selection/selection.ts'
import { toastOutcome, useThreadActions } from './use-thread-actions.ts'

type MoveDialogProps = { readonly threads: readonly ThreadRow[]; readonly onClose: () => void }

export function MoveDialog({ threads, onClose }: MoveDialogProps) {
  const { projects } = useProjects()
  const { move } = useThreadActions()
  const act = useAct()
  const [name, setName] = useState('')
  // Of several threads only if they are all in it.
  const current = projects.find(({ id }) => threads.every(({ projectId }) => projectId === id))
  const isInProject = threads.some(({ projectId }) => projects.some(({ id }) => id === projectId))
  const moveTo = (project: { readonly id: string; readonly name: string } | null) => {
    if (!current || project?.id !== current.id) move(threads, project)
    selection.set(null)
    onClose()
  }
  const cleaned = cleanName(name)
  const reason =
    cleaned === '' ? t('enterName') : cleaned.length > maxProjectNameChars ? refusalSentence({ code: 'project_name' }) : undefined
  const create = async (event: FormEvent) => {
    event.preventDefault()
    if (reason) return
    const project = { id: createId(), name: cleaned }
    if (await toastOutcome(act(mutators.projects.create({ ...project, at: serverNowMs() })))) moveTo(project)
  }
  return (
    <Dialog open title={t('moveTitle')} onClose={onClose}>
      <ul className="mt-3 max-h-72 overflow-y-auto">
        {isInProject && (
          <Choice
            icon={<FolderMinus aria-hidden="true" className="size-4 text-muted-foreground" />}
            isCurrent={false}
            onChoose={() => moveTo(null)}
          >
            {t('noProject')}
          </Choice>
        )}
        {projects.map((project) => (
          <Choice
            key={project.id}
            icon={<ProjectIcon icon={project.icon} color={project.color} />}
            isCurrent={project === current}
            onChoose={() => moveTo(project)}
          >
            {project.name}
          </Choice>
        ))}
      </ul>
      <form onSubmit={create} className="mt-3 flex items-end gap-2">
        <TextField label={t('newProject')} value={name} onValueChange={setName} className="flex-1" />
        <Button type="submit" disabledReason={reason} className="mb-0.5">
          <Plus aria-hidden="true" className="size-4" />
          {t('createAndMove')}
        </Button>
      </form>
    </Dialog>
  )
}

type ChoiceProps = { readonly icon: ReactNode; readonly isCurrent: boolean; readonly onChoose: () => void; readonly children: ReactNode }

const Choice = ({ icon, isCurrent, onChoose, children }: ChoiceProps) => (
  <li>
    <button
      type="button"
      aria-current={isCurrent || undefined}
      onClick={onChoose}
      className="flex min-h-9 w-full items-center gap-2.5 rounded-md px-2 text-left -outline-offset-2 hover:bg-foreground/5 touch:min-h-11"
    >
      {icon}
      <span dir="auto" className="min-w-0 flex-1 truncate">
        {children}
      </span>
      {isCurrent && <Check aria-label={t('currentProject')} className="size-4 text-muted-foreground" />}
    </button>
  </li>
)
