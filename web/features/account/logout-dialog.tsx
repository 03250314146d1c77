import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { deleteLocalUserData } from '../../lib/local-user-data.ts'
import { useSignOut } from '../../sync/provider.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toaster.tsx'

type LogoutDialogProps = { readonly isGuest: boolean; readonly onClose: () => void }

/** Mounted while open. */
export function LogoutDialog({ isGuest, onClose }: LogoutDialogProps) {
  const signOut = useSignOut()
  const navigate = useNavigate()
  const [isPending, setPending] = useState(false)
  const confirm = async () => {
    setPending(true)
    try {
      await signOut()
      deleteLocalUserData()
      await navigate({ to: '/logged-out', replace: true })
    } catch {
      toast('error', 'You could not be logged out.', { description: 'Check your connection and try again.' })
      setPending(false)
      onClose()
    }
  }
  return (
    <ConfirmDialog
      open
      title="Logout"
      text={
        <>
          <p>Are you sure you want to logout?</p>
          {isGuest && <p className="mt-2">As a guest you have no way back to these threads. Log in first to keep them.</p>}
        </>
      }
      action="Logout"
      variant={isGuest ? 'danger' : 'primary'}
      pending={isPending}
      onConfirm={() => void confirm()}
      onClose={onClose}
    />
  )
}
