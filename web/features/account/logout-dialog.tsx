import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { deleteLocalUserData } from '../../lib/local-user-data.ts'
import { useLoginSearch } from '../../lib/navigation.ts'
import { signOutHere } from '../../sync/provider.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toaster.tsx'
import { t } from './texts/en.ts'

type LogoutDialogProps = { readonly isGuest: boolean; readonly onClose: () => void }

/** Mounted while open. */
export function LogoutDialog({ isGuest, onClose }: LogoutDialogProps) {
  const navigate = useNavigate()
  const loginSearch = useLoginSearch()
  const [isPending, setPending] = useState(false)
  const confirm = async () => {
    setPending(true)
    try {
      await signOutHere()
      deleteLocalUserData()
      await navigate({ to: '/logged-out', replace: true })
    } catch {
      toast('error', t('logoutFailed'), { description: t('checkConnection') })
      setPending(false)
      onClose()
    }
  }
  return (
    <ConfirmDialog
      open
      title={t('logout')}
      text={
        <>
          <p>{t('logoutQuestion')}</p>
          {isGuest && (
            <>
              <p className="mt-2">{t('logoutGuest')}</p>
              <Link to="/login" search={loginSearch} className={buttonClass({ variant: 'primary', className: 'mt-4 w-full' })}>
                {t('logInToKeep')}
              </Link>
            </>
          )}
        </>
      }
      action={t('logout')}
      variant={isGuest ? 'danger' : 'primary'}
      pending={isPending}
      onConfirm={() => void confirm()}
      onClose={onClose}
    />
  )
}
