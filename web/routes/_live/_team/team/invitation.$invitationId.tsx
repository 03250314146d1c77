import { createFileRoute } from '@tanstack/react-router'
import { InvitationPage } from '../../../../features/team/invitation-page.tsx'

export const Route = createFileRoute('/_live/_team/team/invitation/$invitationId')({ component: Invitation })

function Invitation() {
  return <InvitationPage invitationId={Route.useParams().invitationId} />
}
