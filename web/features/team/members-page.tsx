/** Members and invitations of the organization. */
import { mayDo } from '../../../worker/contract/organization.ts'
import { givesPro, isLive } from '../../../worker/contract/subscription.ts'
import { cx } from '../../lib/cx.ts'
import { useServerNow } from '../../lib/server-clock.ts'
import { useMe } from '../../sync/hooks.ts'
import { usePayers } from '../../sync/organizations.ts'
import { Section } from '../../ui/section.tsx'
import { InvitationRowView } from './invitation-row.tsx'
import { InviteForm } from './invite-form.tsx'
import { MemberRow } from './member-row.tsx'
import { useOrganizationView } from './organization-frame.tsx'
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
