/** For an invitation that is addressed to another account or does not exist: the server does not tell the two apart. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { deleteLocalUserData } from '../../lib/local-user-data.ts'
import { signOutHere } from '../../sync/provider.tsx'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toaster.tsx'
import { t } from './texts/en.ts'

type WrongAccountInvitationProps = { readonly invitationId: string; readonly email: string | undefined }

export function WrongAccountInvitation({ invitationId, email }: WrongAccountInvitationProps) {
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
