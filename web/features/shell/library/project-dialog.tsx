/** Creates a project, or edits and deletes one. Its page has its files and instructions. */
import { useLocation, useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { maxProjectInstructionsChars, maxProjectNameChars } from '../../../../worker/contract/limits.ts'
import { mutators } from '../../../../worker/contract/mutators.ts'
import { cleanName } from '../../../../worker/contract/names.ts'
import {
  type ProjectColor,
  type ProjectIcon as ProjectIconName,
  projectColors,
  projectIcons,
} from '../../../../worker/contract/threads/projects.ts'
import { webSource } from '../../../../worker/contract/tools/taint.ts'
import { isSourceOn, switchSource } from '../../../../worker/contract/tools/tool-servers.ts'
import { createId } from '../../../lib/create-id.ts'
import { cx } from '../../../lib/cx.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { serverNowMs } from '../../../lib/server-clock.ts'
import { libText } from '../../../lib/texts/en.ts'
import { useAct } from '../../../sync/act.ts'
import { useMe } from '../../../sync/hooks.ts'
import { useProjects } from '../../../sync/organise.ts'
import type { ProjectRow } from '../../../sync/rows.ts'
import { useServerSources } from '../../../sync/tool-servers.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog, DialogFooter } from '../../../ui/dialog.tsx'
import { ProjectIcon } from '../../../ui/project-icon.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { toastOutcome } from '../use-thread-actions.ts'
import { t } from './texts/en.ts'

type ModelFieldProps = {
  readonly label: string
  readonly description: string
  readonly noModel: string
  readonly removeLabel: string
  readonly modelId: string | null
  readonly onChoose: (modelId: string | null) => void
}

type ProjectDialogProps = {
  /** Null creates a project. */
  readonly projectId: string | null
  /** The catalogue of models belongs to another feature. */
  readonly ModelField: (props: ModelFieldProps) => ReactNode
  readonly onClose: () => void
}

export function ProjectDialog({ projectId, onClose, ...rest }: ProjectDialogProps) {
  const { projects } = useProjects()
  const path = useLocation({ select: ({ pathname }) => pathname })
  const [openedAt] = useState(path)
  // As Back does in browsers without `CloseWatcher`.
  useEffect(() => {
    if (path !== openedAt) onClose()
  }, [path, openedAt, onClose])
  const project = projects.find(({ id }) => id === projectId) ?? null
  return (projectId === null || project) && <OpenDialog {...rest} project={project} onClose={onClose} />
}

type OpenDialogProps = Omit<ProjectDialogProps, 'projectId'> & { readonly project: ProjectRow | null }

function OpenDialog({ project, ModelField, onClose }: OpenDialogProps) {
  const navigate = useNavigate()
  const act = useAct()
  const [name, setName] = useState(project?.name ?? '')
  const [icon, setIcon] = useState<ProjectIconName>(project?.icon ?? 'folder')
  const [color, setColor] = useState<ProjectColor>(project?.color ?? 'gray')
  const [modelId, setModelId] = useState(project?.modelId ?? null)
  const servers = useServerSources()
  const sources = [
    ...(pageSettings.search ? [{ id: webSource, name: t('web'), isOfOrganization: false, description: t('webDescription') }] : []),
    ...servers.map(({ organization, ...server }) => ({
      ...server,
      description: organization === undefined ? t('serverDescription') : t('organizationServerDescription', { organization }),
    })),
  ]
  const [offTools, setOffTools] = useState<readonly string[]>(project?.offTools ?? [])
  const [instructions, setInstructions] = useState('')
  const [isMemoryOff, setMemoryOff] = useState(project?.isMemoryOff ?? false)
  const hasMemory = useMe()?.setting?.isMemoryOn === true
  const isSaving = useRef(false)
  const cleaned = cleanName(name)
  const reason =
    cleaned === '' || cleaned.length > maxProjectNameChars
      ? refusalSentence({ code: 'project_name' })
      : instructions.length > maxProjectInstructionsChars
        ? t('instructionsTooLong')
        : undefined

  const save = async (event: FormEvent) => {
    event.preventDefault()
    // The second click of a double click would create another project.
    if (reason || isSaving.current) return
    isSaving.current = true
    const id = project?.id ?? createId()
    const fields = { id, at: serverNowMs(), name: cleaned, icon, color, modelId, isMemoryOff, offTools: [...offTools] }
    const mutation = project ? mutators.projects.update(fields) : mutators.projects.create({ ...fields, instructions })
    isSaving.current = await toastOutcome(act(mutation))
    if (!isSaving.current) return
    onClose()
    if (!project) void navigate({ to: '/project/$projectId', params: { projectId: id } })
  }
  const remove = async ({ id, name: removed }: ProjectRow) => {
    const undo = () => void toastOutcome(act(mutators.projects.restore({ id, at: serverNowMs() })))
    const done = { message: t('projectDeleted'), description: t('threadsKept', { project: removed }), undo }
    if (!(await toastOutcome(act(mutators.projects.delete({ id, at: serverNowMs() })), done))) return
    onClose()
    void navigate({ to: '/projects' })
  }
  return (
    <Dialog open title={project ? t('editProject') : t('newProject')} onClose={onClose}>
      <form onSubmit={save} className="mt-4 flex flex-col gap-4">
        <TextField label={t('name')} value={name} onValueChange={setName} maxChars={maxProjectNameChars} />
        <Choices label={t('icon')} options={projectIcons} chosen={icon} onChoose={setIcon}>
          {(option) => <ProjectIcon icon={option} color={color} />}
        </Choices>
        <Choices label={t('color')} options={projectColors} chosen={color} onChoose={setColor}>
          {(option) => <ProjectIcon icon={icon} color={option} />}
        </Choices>
        {!project && (
          <TextField
            label={t('instructions')}
            description={t('instructionsDescription')}
            rows={4}
            value={instructions}
            onValueChange={setInstructions}
            maxChars={maxProjectInstructionsChars}
          />
        )}
        <ModelField
          label={t('model')}
          description={t('modelDescription')}
          noModel={t('noModel')}
          removeLabel={t('removeModel')}
          modelId={modelId}
          onChoose={setModelId}
        />
        {hasMemory && (
          <SwitchRow
            label={t('memory')}
            description={t('memoryDescription')}
            checked={!isMemoryOff}
            onChange={(checked) => setMemoryOff(!checked)}
          />
        )}
        {sources.map(({ id: sourceId, name: sourceName, description, isOfOrganization }) => (
          <SwitchRow
            key={sourceId}
            label={sourceName}
            description={description}
            checked={isSourceOn({ id: sourceId, isOfOrganization }, offTools)}
            onChange={() => setOffTools((switched) => switchSource(sourceId, switched))}
          />
        ))}
        <DialogFooter>
          {project && (
            <Button variant="ghost" className="mr-auto text-danger" onClick={() => void remove(project)}>
              {t('deleteProject')}
            </Button>
          )}
          <Button onClick={onClose}>{libText('cancel')}</Button>
          <Button type="submit" variant="primary" disabledReason={reason}>
            {project ? t('save') : t('create')}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  )
}

type SwitchRowProps = {
  readonly label: string
  readonly description: string
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
}

const SwitchRow = ({ label, description, checked, onChange }: SwitchRowProps) => (
  <div className="flex items-center justify-between gap-4">
    <div className="min-w-0">
      <div aria-hidden="true" dir="auto" className="truncate font-medium">
        {label}
      </div>
      <p className="text-xs text-muted-foreground text-pretty">{description}</p>
    </div>
    <Switch label={label} checked={checked} onChange={onChange} />
  </div>
)

type ChoicesProps<T extends ProjectIconName | ProjectColor> = {
  readonly label: string
  readonly options: readonly T[]
  readonly chosen: T
  readonly onChoose: (option: T) => void
  readonly children: (option: T) => ReactNode
}

const nameOf = (option: ProjectIconName | ProjectColor): string => t(option)

/** Native radio buttons, so that arrow keys work. */
function Choices<T extends ProjectIconName | ProjectColor>({ label, options, chosen, onChoose, children }: ChoicesProps<T>) {
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">{label}</legend>
      <div className="flex flex-wrap gap-1">
        {options.map((option) => (
          <label
            key={option}
            className={cx(
              'inline-flex size-9 cursor-pointer items-center justify-center rounded-md border has-focus-visible:outline-2 has-focus-visible:outline-ring touch:size-11',
              option === chosen ? 'border-control bg-foreground/9' : 'border-transparent hover:bg-foreground/5',
            )}
          >
            <input
              type="radio"
              name={label}
              aria-label={nameOf(option)}
              checked={option === chosen}
              onChange={() => onChoose(option)}
              className="sr-only"
            />
            {children(option)}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
