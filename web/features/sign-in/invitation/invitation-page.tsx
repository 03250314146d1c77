/**
 * The page that an invitation mail links to. The server chooses its content: the inviter and the organization, that the user is already a member,
 * or that the invitation is no longer open.
 */
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import type { AddressedInvitation, OpenInvitation } from '../../../../worker/contract/http.ts'
import { authCall } from '../../../lib/auth-call.ts'
import { isLoggedOutInTab, onSignedInElsewhere } from '../../../lib/browser-session.ts'
import { inlinedPage, pageSettings } from '../../../lib/page-settings.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { toast } from '../../../ui/toaster.tsx'
import { SignInFrame } from '../sign-in-frame.tsx'
import { t } from './texts/en.ts'

type InvitationPageProps = {
  readonly invitationId: string
  /** Ends the session and removes the user's data from this browser. */
  readonly logOut: () => Promise<void>
}

export function InvitationPage({ invitationId, logOut }: InvitationPageProps) {
  useEffect(() => onSignedInElsewhere(() => location.reload()), [])
  // Null on a page that was opened without a network, or while the database failed.
  const invitation = pageSettings.invitation?.id === invitationId ? pageSettings.invitation : null
  const user = isLoggedOutInTab() ? undefined : inlinedPage?.firstPage.user
  const email = user?.isAnonymous === true ? undefined : user?.email
  if (invitation === null)
    return (
      <SignInFrame title={t('invitation')} lead={t('notLoaded')}>
        <Button variant="primary" size="lg" onClick={() => location.reload()}>
          {t('reload')}
        </Button>
      </SignInFrame>
    )
  if (invitation.state === 'closed') return <Closed invitationId={invitationId} isSignedIn={email !== undefined} />
  if (invitation.state === 'joined') return <Joined {...invitation} />
  const title = t('join', invitation)
  if (email === undefined)
    return (
      <SignInFrame title={title} lead={`${t('invites', invitation)} ${t('logInWithAddress')}`}>
        <LogInLink invitationId={invitationId} />
      </SignInFrame>
    )
  if (!invitation.forViewer) return <OtherAccount title={title} invitationId={invitationId} email={email} logOut={logOut} />
  return <Open title={title} {...invitation} {...invitation.forViewer} />
}

const bold = (chunks: ReactNode) => <strong className="font-medium break-words text-foreground">{chunks}</strong>

const LogInLink = ({ invitationId }: { readonly invitationId: string }) => (
  <Link
    to="/login"
    search={{ callbackUrl: `/team/invitation/${invitationId}` }}
    className={buttonClass({ variant: 'primary', size: 'lg' })}
  >
    {t('logIn')}
  </Link>
)

const Closed = ({ invitationId, isSignedIn }: { readonly invitationId: string; readonly isSignedIn: boolean }) => (
  <SignInFrame title={t('closed')} lead={t(isSignedIn ? 'closedReason' : 'closedReasonLoggedOut')}>
    {isSignedIn ? (
      <Link to="/team" className={buttonClass({ variant: 'primary', size: 'lg' })}>
        {t('yourOrganizations')}
      </Link>
    ) : (
      <LogInLink invitationId={invitationId} />
    )}
  </SignInFrame>
)

const Joined = ({ organization, organizationId }: { readonly organization: string; readonly organizationId: string }) => (
  <SignInFrame title={t('isMember', { organization })} lead={t('notNeeded')}>
    <Link to="/team/$organizationId" params={{ organizationId }} className={buttonClass({ variant: 'primary', size: 'lg' })}>
      {t('openOrganization')}
    </Link>
  </SignInFrame>
)

type OpenProps = OpenInvitation & AddressedInvitation & { readonly title: string }

function Open({ title, id, organization, organizationId, inviter, role }: OpenProps) {
  const navigate = useNavigate()
  const [pending, setPending] = useState<'accept' | 'reject' | null>(null)
  const [problem, setProblem] = useState<string>()
  const answer = async (kind: 'accept' | 'reject') => {
    if (pending) return
    setPending(kind)
    setProblem(undefined)
    const result = await authCall(`organization/${kind}-invitation`, { invitationId: id })
    setPending(null)
    if (!result.ok) return setProblem(result.message)
    toast('success', kind === 'accept' ? t('joined', { organization }) : t('declined'))
    if (kind === 'accept') await navigate({ to: '/team/$organizationId', params: { organizationId }, replace: true })
    else await navigate({ to: '/team', replace: true })
  }
  return (
    <SignInFrame title={title} lead={t.rich('invitesYou', { inviter, organization, role: t(role), b: bold })}>
      <div className="flex flex-col gap-2">
        <Button variant="primary" size="lg" pending={pending === 'accept'} onClick={() => void answer('accept')}>
          {t('accept')}
        </Button>
        <Button variant="ghost" size="lg" pending={pending === 'reject'} onClick={() => void answer('reject')}>
          {t('decline')}
        </Button>
        {problem && <Problem text={problem} />}
      </div>
    </SignInFrame>
  )
}

type OtherAccountProps = InvitationPageProps & { readonly title: string; readonly email: string }

function OtherAccount({ title, invitationId, email, logOut }: OtherAccountProps) {
  const navigate = useNavigate()
  const [isPending, setPending] = useState(false)
  const [hasFailed, setFailed] = useState(false)
  const changeAccount = async () => {
    setPending(true)
    setFailed(false)
    try {
      await logOut()
      await navigate({ to: '/login', search: { callbackUrl: `/team/invitation/${invitationId}` } })
    } catch {
      setFailed(true)
      setPending(false)
    }
  }
  return (
    <SignInFrame title={title} lead={t.rich('otherAddress', { email, b: bold })}>
      <div className="flex flex-col gap-2">
        <Button variant="primary" size="lg" pending={isPending} onClick={() => void changeAccount()}>
          {t('logInOther')}
        </Button>
        {hasFailed && <Problem text={t('logoutFailed')} />}
      </div>
    </SignInFrame>
  )
}

const Problem = ({ text }: { readonly text: string }) => (
  <p role="alert" className="text-center text-xs text-danger text-pretty">
    {text}
  </p>
)
