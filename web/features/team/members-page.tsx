/** Members and invitations of the organization. */

import { useNavigate } from '@tanstack/react-router'
import { ChevronDown, Ellipsis } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import {
  assignableRoles,
  isLastOwner,
  mayDo,
  type OrganizationRole,
  organizationRoleNames,
  roleOf,
} from '../../../worker/contract/organizations/organization.ts'
import { givesPro, isLive } from '../../../worker/contract/organizations/subscription.ts'
import { authCall } from '../../lib/auth-call.ts'
import { cx } from '../../lib/cx.ts'
import { formatDate } from '../../lib/i18n/format-dates.ts'
import { useServerNow } from '../../lib/server-clock.ts'
import { useProPrice } from '../../lib/subscription.tsx'
import { libText } from '../../lib/texts/en.ts'
import { useMe } from '../../sync/hooks.ts'
import { type InvitationRow, type Member, type OrganizationView, usePayers } from '../../sync/organizations.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../ui/menu.tsx'
import { Section } from '../../ui/section.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toaster.tsx'
import { useOrganizationView } from './organization-frame.tsx'
import { useCall } from './team-frame.tsx'
import { t } from './texts/en.ts'

export function MembersPage() {
  const view = useOrganizationView()
  const { organization, members, invitations, role, subscription } = view
  const own = useMe()?.customer?.subscription
  const isPaidElsewhere = usePayers().some(({ id }) => id !== organization.id)
  const nowMs = useServerNow()
  const isPaying = subscription !== null && givesPro(subscription, nowMs)
  const hasProFromThisOrganization = isPaying && !isPaidElsewhere && !(own && givesPro(own, nowMs))
  const mayInvite = mayDo(role, 'invitation', 'create')
  return (
    <>
      <Section title={t('membersCount', { members: members.length })}>
        <ul className="divide-y rounded-lg border">
          {members.map((member) => (
            <MemberRow
              key={member.id}
              member={member}
              view={view}
              isPaying={isPaying}
              hasProFromThisOrganization={hasProFromThisOrganization}
            />
          ))}
        </ul>
      </Section>
      <Section title={t('invitations')} description={t(mayInvite ? 'invitationsDescription' : 'onlyAdminsInvite')}>
        {mayInvite && <InviteForm organizationId={organization.id} role={role} addsSeat={isPaying && isLive(subscription)} />}
        {invitations.length > 0 && (
          <ul className={cx('divide-y rounded-lg border', mayInvite && 'mt-5')}>
            {invitations.map((invitation) => (
              <InvitationRowView key={invitation.id} invitation={invitation} role={role} />
            ))}
          </ul>
        )}
      </Section>
    </>
  )
}

/** One member: name, address, role and the available actions. */
type MemberRowProps = {
  readonly member: Member
  readonly view: OrganizationView
  /** The organization pays for its members' PRO. */
  readonly isPaying: boolean
  /** The user has PRO only through this organization. */
  readonly hasProFromThisOrganization: boolean
}

function MemberRow({ member, view, isPaying, hasProFromThisOrganization }: MemberRowProps) {
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
            ? t(hasProFromThisOrganization ? 'leaveProDescription' : 'leaveDescription', { organization: organizationName })
            : t(isPaying ? 'removeProDescription' : 'removeDescription', { name: member.name, organization: organizationName })
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
  const assignable = assignableRoles(mine)
  if (!assignable.includes(role) || !assignable.includes(member.role)) return t('onlyOwners')
  return isLastOwner(member.id, members) ? t('keepsAnOwner') : undefined
}

function endReason(member: Member, { role: mine, members, memberId }: OrganizationView): string | undefined {
  if (isLastOwner(member.id, members)) return t('keepsAnOwner')
  if (member.id === memberId) return undefined
  if (!mayDo(mine, 'member', 'delete')) return t('onlyAdmins')
  return assignableRoles(mine).includes(member.role) ? undefined : t('onlyOwners')
}

type InvitationRowViewProps = { readonly invitation: InvitationRow; readonly role: OrganizationRole }

/** A pending invitation; an expired one can be sent again. */
function InvitationRowView({ invitation, role: mine }: InvitationRowViewProps) {
  const { isPending, run } = useCall()
  const { id, organizationId, email, expiresAt } = invitation
  const isExpired = expiresAt <= useServerNow()
  const role = roleOf(invitation.role)
  const reason = (action: 'create' | 'cancel') => (mayDo(mine, 'invitation', action) ? undefined : t('onlyAdmins'))
  // better-auth extends a pending invitation; a new one replaces an expired one.
  const resend = () => void run('invite-member', { organizationId, email, role, resend: true }, t('sentAgain', { email }))
  const cancel = () => void run('cancel-invitation', { invitationId: id }, t('invitationCancelled', { email }))
  return (
    <li className="flex flex-wrap items-center gap-2 px-4 py-2.5">
      <span className="min-w-0 flex-1">
        <span className="block wrap-anywhere">{email}</span>
        <span className="block text-xs text-muted-foreground">
          {`${t(role)} · ${isExpired ? t('expired') : t('openUntil', { date: formatDate(expiresAt, 'medium') })}`}
        </span>
      </span>
      <Button
        size="sm"
        variant="ghost"
        pending={isPending}
        disabledReason={reason('create')}
        onClick={resend}
        aria-label={t('resendTo', { email })}
      >
        {t('resend')}
      </Button>
      <Button
        size="sm"
        variant="ghost"
        pending={isPending}
        disabledReason={reason('cancel')}
        onClick={cancel}
        aria-label={t('cancelNamed', { email })}
      >
        {libText('cancel')}
      </Button>
    </li>
  )
}

type InviteFormProps = {
  readonly organizationId: string
  readonly role: OrganizationRole
  /** The organization pays by seat. */
  readonly addsSeat: boolean
}

/** A refusal is shown at the email field, and the input is kept. */
function InviteForm({ organizationId, role: mine, addsSeat }: InviteFormProps) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<OrganizationRole>('member')
  const [problem, setProblem] = useState<string>()
  const [isPending, setPending] = useState(false)
  const reason = email.trim() === '' ? t('enterAddress') : undefined
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (reason || isPending) return
    setPending(true)
    const result = await authCall('organization/invite-member', { organizationId, email: email.trim(), role })
    setPending(false)
    setProblem(result.ok ? undefined : result.message)
    if (!result.ok) return
    toast('success', t('invited', { email: email.trim() }))
    setEmail('')
  }
  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-wrap items-start gap-2">
      <TextField
        label={t('email')}
        inputMode="email"
        autoCapitalize="none"
        spellCheck={false}
        autoComplete="off"
        placeholder="name@example.com"
        className="flex-1 max-sm:basis-full"
        value={email}
        onValueChange={(value) => {
          setEmail(value)
          setProblem(undefined)
        }}
        error={problem}
      />
      <div className="flex gap-2 max-sm:w-full sm:mt-6.5">
        <RoleSelect role={role} choices={assignableRoles(mine)} onChange={setRole} />
        <Button type="submit" variant="primary" className="max-sm:flex-1" pending={isPending} disabledReason={reason}>
          {t('invite')}
        </Button>
      </div>
      {addsSeat && <SeatNote />}
    </form>
  )
}

function SeatNote() {
  const { price } = useProPrice()
  return <p className="basis-full text-muted-foreground text-pretty">{t('seatNote', { price })}</p>
}

type RoleSelectProps = {
  readonly role: OrganizationRole
  readonly choices: readonly OrganizationRole[]
  readonly onChange: (role: OrganizationRole) => void
}

function RoleSelect({ role, choices, onChange }: RoleSelectProps) {
  return (
    <Menu
      label={t('role')}
      placement="bottom-end"
      trigger={(props) => (
        <button type="button" {...props} aria-label={t('roleNamed', { role: t(role) })} className={buttonClass()}>
          {t(role)}
          <ChevronDown aria-hidden="true" className="size-3.5 text-muted-foreground" />
        </button>
      )}
    >
      {choices.map((choice) => (
        <MenuItem key={choice} checked={choice === role} onSelect={() => onChange(choice)}>
          {`${t(choice)}: `}
          <span className="text-muted-foreground">{t(`${choice}Description`)}</span>
        </MenuItem>
      ))}
    </Menu>
  )
}
