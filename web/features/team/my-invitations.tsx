import { useNavigate } from '@tanstack/react-router'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/section.tsx'
import { t } from './texts/en.ts'
import { useCall } from './use-call.ts'
import { type MyInvitation, useMyInvitations } from './use-my-invitations.ts'

/** Renders nothing without invitations. */
export function MyInvitations() {
  const { invitations, refresh } = useMyInvitations()
  if (invitations.length === 0) return null
  return (
    <Section title={t('invitations')}>
      <ul className="divide-y rounded-lg border">
        {invitations.map((invitation) => (
          <Item key={invitation.id} invitation={invitation} onAnswered={refresh} />
        ))}
      </ul>
    </Section>
  )
}

function Item({
  invitation: { id, organizationId, organizationName },
  onAnswered,
}: {
  readonly invitation: MyInvitation
  readonly onAnswered: () => void
}) {
  const navigate = useNavigate()
  const { isPending, run } = useCall()
  const accept = async () => {
    if (await run('accept-invitation', { invitationId: id }, t('joined', { organization: organizationName }))) {
      await navigate({ to: '/team/$organizationId', params: { organizationId } })
    }
    onAnswered()
  }
  const decline = async () => {
    await run('reject-invitation', { invitationId: id }, t('declined'))
    onAnswered()
  }
  return (
    <li className="flex flex-wrap items-center gap-2 px-4 py-3">
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{organizationName}</span>{' '}
        <span className="block text-xs text-muted-foreground">{t('invitesYouShort')}</span>
      </span>
      <Button size="sm" variant="ghost" onClick={() => void decline()} pending={isPending}>
        {t('decline')}
      </Button>
      <Button size="sm" variant="primary" onClick={() => void accept()} pending={isPending}>
        {t('accept')}
      </Button>
    </li>
  )
}
