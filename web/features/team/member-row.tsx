/** One member: name, address, role and the available actions. */
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { isLastOwner, mayDo, type OrganizationRole, organizationRoleNames, rolesInReach } from '../../../worker/contract/organization.ts'
import type { Member, OrganizationView } from '../../sync/organizations.ts'
import { Badge } from '../../ui/badge.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../ui/menu.tsx'
import { t } from './texts/en.ts'
import { useCall } from './use-call.ts'

type MemberRowProps = {
  readonly member: Member
  readonly view: OrganizationView
  /** The organization pays for its members' PRO. */
  readonly isPaying: boolean
  /** The user has PRO only through this organization. */
  readonly hasProFromThisOrganization: boolean
}

export function MemberRow({ member, view, isPaying, hasProFromThisOrganization }: MemberRowProps) {
  const { isPending, run } = useCall()
  const navigate = useNavigate()
  const [isEnding, setEnding] = useState(false)
  const { id: organizationId, name: organizationName } = view.organization
  const isMe = member.id === view.memberId
  const end = async () => {
    const done = isMe
      ? await run('leave', { organizationId }, t('youLeft', { organization: organizationName }))
      : await run('remove-member', { organizationId, memberIdOrEmail: member.id }, t('memberRemoved', { name: member.name }))
    setEnding(false)
    if (done && isMe) await navigate({ to: '/team' })
  }
  const setRole = (role: OrganizationRole) =>
    void run('update-member-role', { organizationId, memberId: member.id, role }, t('roleChanged', { name: member.name, role: t(role) }))
  return (
    <li className="flex items-center gap-3 px-4 py-2.5">
      <span
        aria-hidden="true"
        className="flex size-8 shrink-0 items-center justify-center rounded-full bg-accent/14 font-semibold text-accent"
      >
        {[...member.name][0]?.toUpperCase()}
      </span>
      <span className="min-w-0 flex-1">
        <span className="block wrap-anywhere font-medium">
          {member.name}
          {isMe && <span className="font-normal text-muted-foreground"> {t('youMark')}</span>}
        </span>
        <span className="block wrap-anywhere text-xs text-muted-foreground">{member.email}</span>
      </span>
      <Badge tone={member.role === 'member' ? 'neutral' : 'accent'}>{t(member.role)}</Badge>
      <Menu
        label={t('aboutNamed', { name: member.name })}
        placement="bottom-end"
        trigger={(props) => (
          <IconButton {...props} label={t('changeNamed', { name: member.name })} size="sm">
            <Ellipsis />
          </IconButton>
        )}
      >
        <MenuLabel>{t('role')}</MenuLabel>
        {organizationRoleNames.map((role) => (
          <MenuItem
            key={role}
            checked={role === member.role}
            onSelect={() => setRole(role)}
            disabledReason={role === member.role ? undefined : roleReason(role, member, view)}
          >
            {t(role)}
          </MenuItem>
        ))}
        <MenuSeparator />
        <MenuItem danger onSelect={() => setEnding(true)} disabledReason={endReason(member, view)}>
          {t(isMe ? 'leave' : 'remove')}
        </MenuItem>
      </Menu>
      <ConfirmDialog
        open={isEnding}
        title={t(isMe ? 'leaveOrganization' : 'removeMember')}
        text={
          isMe
            ? t(hasProFromThisOrganization ? 'leaveProHint' : 'leaveHint', { organization: organizationName })
            : t(isPaying ? 'removeProHint' : 'removeHint', { name: member.name, organization: organizationName })
        }
        action={t(isMe ? 'leave' : 'remove')}
        variant="danger"
        pending={isPending}
        onConfirm={() => void end()}
        onClose={() => setEnding(false)}
      />
    </li>
  )
}

function roleReason(role: OrganizationRole, member: Member, { role: mine, members }: OrganizationView): string | undefined {
  if (!mayDo(mine, 'member', 'update')) return t('onlyAdmins')
  const assignable = rolesInReach(mine)
  if (!assignable.includes(role) || !assignable.includes(member.role)) return t('onlyOwners')
  return isLastOwner(member.id, members) ? t('keepsAnOwner') : undefined
}

function endReason(member: Member, { role: mine, members, memberId }: OrganizationView): string | undefined {
  if (isLastOwner(member.id, members)) return t('keepsAnOwner')
  if (member.id === memberId) return undefined
  if (!mayDo(mine, 'member', 'delete')) return t('onlyAdmins')
  return rolesInReach(mine).includes(member.role) ? undefined : t('onlyOwners')
}
