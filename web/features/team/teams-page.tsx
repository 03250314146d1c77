/** The teams of the organization. Only its members can join. */
import { Ellipsis, Plus, UserPlus, UsersRound, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { maxTeamNameChars, maxTeams } from '../../../worker/contract/limits.ts'
import { cleanName } from '../../../worker/contract/names.ts'
import { mayDo } from '../../../worker/contract/organizations/organization.ts'
import { libText } from '../../lib/texts/en.ts'
import type { Team } from '../../sync/organizations.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { Section } from '../../ui/section.tsx'
import { SectionErrorBoundary } from '../../ui/section-error-boundary.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useOrganizationView } from './organization-frame.tsx'
import { useCall } from './team-frame.tsx'
import { t } from './texts/en.ts'

export function TeamsPage() {
  const { organization, teams, role } = useOrganizationView()
  const { run } = useCall()
  const [isCreating, setCreating] = useState(false)
  const reason = !mayDo(role, 'team', 'create') ? t('onlyAdmins') : teams.length >= maxTeams ? t('teamLimit') : undefined
  return (
    <Section
      title={t('teams')}
      action={
        <Button size="sm" onClick={() => setCreating(true)} disabledReason={reason}>
          <Plus aria-hidden="true" className="size-3.5" />
          {t('newTeam')}
        </Button>
      }
    >
      {teams.length === 0 ? (
        <EmptyState icon={UsersRound}>{t('noTeams')}</EmptyState>
      ) : (
        <ul className="flex flex-col gap-4">
          {teams.map((team) => (
            <TeamCard key={team.id} team={team} />
          ))}
        </ul>
      )}
      {isCreating && (
        <SectionErrorBoundary part="dialog" onClose={() => setCreating(false)}>
          <TeamNameDialog
            title={t('newTeam')}
            action={t('create')}
            name=""
            onClose={() => setCreating(false)}
            onSave={(name) => run('create-team', { organizationId: organization.id, name })}
          />
        </SectionErrorBoundary>
      )}
    </Section>
  )
}

/** One team: name, members, and candidates to add. */
function TeamCard({ team }: { readonly team: Team }) {
  const { organization, members, role } = useOrganizationView()
  const { isPending, run } = useCall()
  const [open, setOpen] = useState<'rename' | 'delete'>()
  const named = { organizationId: organization.id, teamId: team.id }
  const outside = members.filter((member) => !team.members.includes(member))
  const reason = (allowed: boolean) => (allowed ? undefined : t('onlyAdmins'))
  const addReason = reason(mayDo(role, 'member', 'update')) ?? (outside.length === 0 ? t('allInTeam') : undefined)
  const close = () => setOpen(undefined)
  return (
    <li className="rounded-lg border px-4 py-3">
      <div className="flex items-center gap-2">
        <h3 className="min-w-0 flex-1 truncate font-medium">{team.name}</h3>
        <Menu
          label={t('addTo', { team: team.name })}
          placement="bottom-end"
          className="max-h-72"
          trigger={(props) => (
            <Button {...props} size="sm" variant="ghost" disabledReason={addReason} aria-label={t('addTo', { team: team.name })}>
              <UserPlus aria-hidden="true" className="size-3.5" />
              {t('add')}
            </Button>
          )}
        >
          {outside.map(({ userId, name }) => (
            <MenuItem key={userId} onSelect={() => void run('add-team-member', { ...named, userId })}>
              {name}
            </MenuItem>
          ))}
        </Menu>
        <Menu
          label={t('aboutNamed', { name: team.name })}
          placement="bottom-end"
          trigger={(props) => (
            <IconButton {...props} label={t('changeNamed', { name: team.name })} size="sm">
              <Ellipsis />
            </IconButton>
          )}
        >
          <MenuItem onSelect={() => setOpen('rename')} disabledReason={reason(mayDo(role, 'team', 'update'))}>
            {t('rename')}
          </MenuItem>
          <MenuItem danger onSelect={() => setOpen('delete')} disabledReason={reason(mayDo(role, 'team', 'delete'))}>
            {t('delete')}
          </MenuItem>
        </Menu>
      </div>
      {team.members.length === 0 ? (
        <p className="mt-1 text-muted-foreground">{t('noMembers')}</p>
      ) : (
        <ul className="mt-2 flex flex-wrap gap-1.5">
          {team.members.map(({ userId, name }) => (
            <li key={userId} className="flex h-7 max-w-full items-center gap-1 rounded-md bg-muted pr-0.5 pl-2.5 text-sm">
              <span className="truncate">{name}</span>
              <IconButton
                label={t('removeFrom', { name, team: team.name })}
                size="sm"
                className="size-6"
                disabledReason={reason(mayDo(role, 'member', 'delete'))}
                onClick={() => void run('remove-team-member', { ...named, userId })}
              >
                <X />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      {open === 'rename' && (
        <SectionErrorBoundary part="dialog" onClose={close}>
          <TeamNameDialog
            title={t('renameTeam')}
            action={t('rename')}
            name={team.name}
            onClose={close}
            onSave={(name) => run('update-team', { teamId: team.id, data: { name, organizationId: organization.id } })}
          />
        </SectionErrorBoundary>
      )}
      <ConfirmDialog
        open={open === 'delete'}
        title={t('deleteTeam')}
        text={t('deleteTeamDescription', { team: team.name })}
        action={t('delete')}
        variant="danger"
        pending={isPending}
        onConfirm={() => void run('remove-team', named).then(close)}
        onClose={close}
      />
    </li>
  )
}

type TeamNameDialogProps = {
  readonly title: string
  readonly action: string
  readonly name: string
  /** Resolves with true after success; otherwise the dialog stays open with its input. */
  readonly onSave: (name: string) => Promise<boolean>
  readonly onClose: () => void
}

/** Mounted while open. */
function TeamNameDialog({ title, action, name, onSave, onClose }: TeamNameDialogProps) {
  const [value, setValue] = useState(name)
  const [isPending, setPending] = useState(false)
  const cleaned = cleanName(value)
  const reason = cleaned === '' ? t('enterName') : cleaned.length > maxTeamNameChars ? t('shortenName') : undefined
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (reason || isPending) return
    setPending(true)
    if (cleaned === name || (await onSave(cleaned))) return onClose()
    setPending(false)
  }
  return (
    <Dialog open title={title} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)} className="mt-4">
        <TextField label={t('name')} value={value} onValueChange={setValue} maxChars={maxTeamNameChars} autoComplete="off" />
        <div className="mt-5 flex justify-end gap-2">
          <Button onClick={onClose}>{libText('cancel')}</Button>
          <Button type="submit" variant="primary" pending={isPending} disabledReason={reason}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
