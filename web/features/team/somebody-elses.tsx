/** An invitation that was sent to another address than this account's; which one, only its mail says. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { forgetEverythingUnsent } from '../../stores/forget.ts'
import { useSignOut } from '../../sync/provider.tsx'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toaster.tsx'

type SomebodyElsesProps = { readonly invitationId: string; readonly email: string | undefined }

export function SomebodyElses({ invitationId, email }: SomebodyElsesProps) {
  const signOut = useSignOut()
  const navigate = useNavigate()
  const [isPending, setPending] = useState(false)
  const changeAccount = async () => {
    setPending(true)
    try {
      await signOut()
      forgetEverythingUnsent()
      await navigate({ to: '/login', search: { callbackUrl: `/team/invitation/${invitationId}` } })
    } catch {
      toast('error', 'You could not be logged out.', { description: 'Check your connection and try again.' })
      setPending(false)
    }
  }
  return (
    <>
      <p role="alert" className="text-pretty">
        This invitation was sent to another address; you are logged in as <strong className="font-semibold break-words">{email}</strong>. To
        answer it, log out and log in with the address the mail came to. You come back here.
      </p>
      <Button variant="primary" className="mt-5" pending={isPending} onClick={() => void changeAccount()}>
        Log out and log in as somebody else
      </Button>
    </>
  )
}
