/** The page that an invitation mail links to: inviter and organization, or why the invitation is no longer valid. The server names both to everybody who has the link. */
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import type { InvitationDetails } from '../../../worker/contract/http.ts'
import { roleOf } from '../../../worker/contract/organizations/organization.ts'
import { authCall } from '../../lib/auth-call.ts'
import { deleteLocalUserData } from '../../lib/local-user-data.ts'
import { usePageTitle } from '../../lib/page-head.ts'
import { pageSettings } from '../../lib/page-settings.ts'
import { useMe } from '../../sync/hooks.ts'
import { signOutHere } from '../../sync/provider.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Logo } from '../../ui/logo.tsx'
import { LoadingBlock } from '../../ui/skeleton.tsx'
import { toast } from '../../ui/toaster.tsx'
import { useCall } from './team-frame.tsx'
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
  const named = pageSettings.invitation?.id === invitationId ? pageSettings.invitation : null
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
    <InvitationFrame named={named}>
      {isGuest ? (
        <SignIn invitationId={invitationId} named={named} />
      ) : result === null ? (
        <LoadingBlock className="h-24 w-full" />
      ) : 'invitation' in result ? (
        <Open invitationId={invitationId} invitation={result.invitation} />
      ) : result.code === 'not_found' ? (
        <WrongAccountInvitation invitationId={invitationId} named={named} email={email} />
      ) : (
        <Closed code={result.code} message={result.message} />
      )}
    </InvitationFrame>
  )
}

/** Null for an invitation that is not open, or that this page was not loaded for. */
type Named = InvitationDetails | null

/** In the middle of the page. */
function InvitationFrame({ named, children }: { readonly named: Named; readonly children: ReactNode }) {
  usePageTitle(null)
  return (
    <div data-page-scroller="" className="flex min-h-0 flex-1 flex-col overflow-y-auto px-4 py-14">
      <div className="m-auto flex w-full max-w-sm flex-col items-center text-center">
        <Logo className="size-10" />
        <h1 className="mt-4 mb-3 text-title text-balance wrap-anywhere">
          {named ? t('invitedTo', { organization: named.organization }) : t('invitation')}
        </h1>
        {children}
      </div>
    </div>
  )
}

function SignIn({ invitationId, named }: { readonly invitationId: string; readonly named: Named }) {
  return (
    <>
      <p className="text-muted-foreground text-pretty wrap-anywhere">
        {named && `${t('invitedBy', { inviter: named.inviter })} `}
        {t('invitedLogIn')}
      </p>
      <Link
        to="/login"
        search={{ callbackUrl: `/team/invitation/${invitationId}` }}
        className={buttonClass({ variant: 'primary', size: 'lg', className: 'mt-5 w-full' })}
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
      <p className="text-muted-foreground text-pretty wrap-anywhere">
        {t.rich('invitesYou', {
          inviter: inviterEmail,
          organization: organizationName,
          role: t(roleOf(role)),
          b: (chunks) => <strong className="font-semibold">{chunks}</strong>,
        })}
      </p>
      <div className="mt-5 flex w-full flex-col gap-2">
        <Button variant="primary" size="lg" pending={isPending} onClick={() => void accept()}>
          {t('accept')}
        </Button>
        <Button size="lg" pending={isPending} onClick={() => void decline()}>
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
      <p role="alert" className="text-muted-foreground text-pretty wrap-anywhere">
        {isClosed ? t('invitationClosed') : message}
      </p>
      <Link to="/team" className={buttonClass({ size: 'lg', className: 'mt-5 w-full' })}>
        {t('yourOrganizations')}
      </Link>
    </>
  )
}

type WrongAccountInvitationProps = { readonly invitationId: string; readonly named: Named; readonly email: string | undefined }

/** For an invitation that is addressed to another account, is not open, or does not exist. Only the page that was loaded from an open link knows which. */
function WrongAccountInvitation({ invitationId, named, email }: WrongAccountInvitationProps) {
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
      <p role="alert" className="text-muted-foreground text-pretty wrap-anywhere">
        {t.rich(named ? 'otherAddress' : 'wrongAccount', {
          email: email ?? '',
          b: (chunks) => <strong className="font-semibold break-words">{chunks}</strong>,
        })}
      </p>
      <Button variant="primary" size="lg" className="mt-5 w-full" pending={isPending} onClick={() => void changeAccount()}>
        {t('logInOther')}
      </Button>
    </>
  )
}
