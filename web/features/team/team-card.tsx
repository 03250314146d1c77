/** One team: name, members, and candidates to add. */
import { Ellipsis, UserPlus, X } from 'lucide-react'
import { useState } from 'react'
import { mayDo } from '../../../worker/contract/organization.ts'
import type { Team } from '../../sync/organizations.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { SectionErrorBoundary } from '../../ui/section-error-boundary.tsx'
import { useOrganizationView } from './organization-frame.tsx'
import { TeamNameDialog } from './team-name-dialog.tsx'
import { t } from './texts/en.ts'
import { useCall } from './use-call.ts'

export function TeamCard({ team }: { readonly team: Team }) {
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
        text={t('deleteTeamHint', { team: team.name })}
        action={t('delete')}
        variant="danger"
        pending={isPending}
        onConfirm={() => void run('remove-team', named).then(close)}
        onClose={close}
      />
    </li>
  )
}
