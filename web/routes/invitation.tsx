import { useParams } from '@tanstack/react-router'
import { InvitationPage } from '../features/sign-in/invitation/invitation-page.tsx'

/** The code that ends a session has most of the app with it, and few invitations need it. */
const logOut = async () => (await import('./live.tsx')).logOut()

export function Invitation() {
  const { invitationId } = useParams({ from: '/team/invitation/$invitationId' })
  return <InvitationPage invitationId={invitationId} logOut={logOut} />
}
