import { mayDo, type OrganizationRole, roleOf } from '../../../worker/contract/organization.ts'
import { formatDate } from '../../lib/i18n/intl-format.ts'
import { useServerNow } from '../../lib/server-clock.ts'
import { libText } from '../../lib/texts/en.ts'
import type { InvitationRow } from '../../sync/organizations.ts'
import { Button } from '../../ui/button.tsx'
import { t } from './texts/en.ts'
import { useCall } from './use-call.ts'

type InvitationRowViewProps = { readonly invitation: InvitationRow; readonly role: OrganizationRole }

/** A pending invitation; an expired one can be sent again. */
export function InvitationRowView({ invitation, role: mine }: InvitationRowViewProps) {
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
