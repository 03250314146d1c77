/** The page that an invitation mail links to: inviter and organization, or why the invitation is no longer valid. */
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { roleOf } from '../../../worker/contract/organizations/organization.ts'
import { authCall } from '../../lib/auth-call.ts'
import { deleteLocalUserData } from '../../lib/local-user-data.ts'
import { useMe } from '../../sync/hooks.ts'
import { signOutHere } from '../../sync/provider.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { LoadingBlock } from '../../ui/skeleton.tsx'
import { toast } from '../../ui/toaster.tsx'
import { TeamFrame, useCall } from './team-frame.tsx'
import { t } from './texts/en.ts'

type Invitation = {
  readonly organizationId: string
  readonly organizationName: string
  readonly inviterEmail: string
  readonly role: string
}
type Result = { readonly invitation: Invitation } | { readonly code: string | null; readonly message: string } | null

export function InvitationPage() {
  const { invitationId } = useParams({ from: '/live/team/invitation/$invitationId' })
  const me = useMe()
  const isGuest = me?.user.isAnonymous === true
  const email = me?.user.email
  const [result, setResult] = useState<Result>(null)
  useEffect(() => {
    if (email === undefined || isGuest) return undefined
    let isCurrent = true
    void authCall<Invitation>(`organization/get-invitation?id=${encodeURIComponent(invitationId)}`).then((loaded) => {
      if (isCurrent) setResult(loaded.ok ? { invitation: loaded.body } : loaded)
    })
    return () => {
      isCurrent = false
    }
  }, [invitationId, email, isGuest])
  return (
    <TeamFrame head={<h1 className="mt-4 text-2xl font-semibold tracking-tight">{t('invitation')}</h1>}>
      <div className="mt-4 max-w-prose">
        {isGuest ? (
          <SignIn invitationId={invitationId} />
        ) : result === null ? (
          <LoadingBlock className="h-24" />
        ) : 'invitation' in result ? (
          <Open invitationId={invitationId} invitation={result.invitation} />
        ) : result.code === 'not_found' ? (
          <WrongAccountInvitation invitationId={invitationId} email={email} />
        ) : (
          <Closed code={result.code} message={result.message} />
        )}
      </div>
    </TeamFrame>
  )
}

function SignIn({ invitationId }: { readonly invitationId: string }) {
  return (
    <>
      <p className="text-pretty">{t('invitedLogIn')}</p>
      <Link
        to="/login"
        search={{ callbackUrl: `/team/invitation/${invitationId}` }}
        className={buttonClass({ variant: 'primary', className: 'mt-5' })}
      >
        {t('logIn')}
      </Link>
    </>
  )
}

function Open({ invitationId, invitation }: { readonly invitationId: string; readonly invitation: Invitation }) {
  const { organizationId, organizationName, inviterEmail, role } = invitation
  const { isPending, run } = useCall()
  const navigate = useNavigate()
  const accept = async () => {
    if (await run('accept-invitation', { invitationId }, t('joined', { organization: organizationName }))) {
      await navigate({ to: '/team/$organizationId', params: { organizationId }, replace: true })
    }
  }
  const decline = async () => {
    if (await run('reject-invitation', { invitationId }, t('declined'))) await navigate({ to: '/team', replace: true })
  }
  return (
    <>
      <p className="text-pretty">
        {t.rich('invitesYou', {
          inviter: inviterEmail,
          organization: organizationName,
          role: t(roleOf(role)),
          b: (chunks) => <strong className="font-semibold">{chunks}</strong>,
        })}
      </p>
      <div className="mt-5 flex gap-2">
        <Button variant="primary" pending={isPending} onClick={() => void accept()}>
          {t('accept')}
        </Button>
        <Button pending={isPending} onClick={() => void decline()}>
          {t('decline')}
        </Button>
      </div>
    </>
  )
}

type ClosedProps = { readonly code: string | null; readonly message: string }

function Closed({ code, message }: ClosedProps) {
  const isClosed = code?.startsWith('INVITATION') || code?.startsWith('INVITER')
  return (
    <>
      <p role="alert" className="text-pretty">
        {isClosed ? t('invitationClosed') : message}
      </p>
      <Link to="/team" className={buttonClass({ className: 'mt-5' })}>
        {t('yourOrganizations')}
      </Link>
    </>
  )
}

type WrongAccountInvitationProps = { readonly invitationId: string; readonly email: string | undefined }

/** For an invitation that is addressed to another account or does not exist: the server does not tell the two apart. */
function WrongAccountInvitation({ invitationId, email }: WrongAccountInvitationProps) {
  const navigate = useNavigate()
  const [isPending, setPending] = useState(false)
  const changeAccount = async () => {
    setPending(true)
    try {
      await signOutHere()
      deleteLocalUserData()
      await navigate({ to: '/login', search: { callbackUrl: `/team/invitation/${invitationId}` } })
    } catch {
      toast('error', t('logoutFailed'), { description: t('checkConnection') })
      setPending(false)
    }
  }
  return (
    <>
      <p role="alert" className="text-pretty">
        {t.rich('wrongAccount', {
          email: email ?? '',
          b: (chunks) => <strong className="font-semibold break-words">{chunks}</strong>,
        })}
      </p>
      <Button variant="primary" className="mt-5" pending={isPending} onClick={() => void changeAccount()}>
        {t('logInOther')}
      </Button>
    </>
  )
}
