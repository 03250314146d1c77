/** The Account page: profile, sessions, storage, data export, logout and account deletion. */
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { planName } from '../../../worker/contract/display-names.ts'
import { useMe } from '../../sync/hooks.ts'
import { Button } from '../../ui/button.tsx'
import { PartBoundary } from '../../ui/part-boundary.tsx'
import { Definition, DefinitionList, Section } from '../../ui/section.tsx'
import { Delayed, Skeleton } from '../../ui/skeleton.tsx'
import { toast } from '../../ui/toaster.tsx'
import { DeleteDialog } from './delete-account-dialog.tsx'
import { ExportSection } from './export-section.tsx'
import { LogoutDialog } from './logout-dialog.tsx'
import { NameForm } from './name-form.tsx'
import { SessionsSection } from './sessions-section.tsx'
import { StorageSection } from './storage-section.tsx'

/** `leavingId`: id of a user who was redirected to log in again before deleting the account. */
export function AccountPage({ leavingId }: { readonly leavingId: string | undefined }) {
  const me = useMe()
  const [openDialog, setOpenDialog] = useState<'logout' | 'delete' | 'back' | null>(null)
  const navigate = useNavigate()
  const myId = me?.user.id
  useEffect(() => {
    if (leavingId === undefined || myId === undefined) return
    void navigate({ to: '/account', search: {}, replace: true })
    if (leavingId === myId) setOpenDialog('back')
    else toast('warning', 'You logged in as somebody else', { description: 'Nothing was deleted.', id: 'delete' })
  }, [leavingId, myId, navigate])
  if (!me) {
    return (
      <Delayed>
        <Skeleton className="h-96" />
      </Delayed>
    )
  }
  const { user } = me
  const isGuest = user.isAnonymous === true
  const close = () => setOpenDialog(null)
  return (
    <>
      <Section title="Profile">
        <NameForm saved={user.name} />
        <div className="mt-4">
          <DefinitionList>
            {!isGuest && <Definition name="E-mail">{user.email}</Definition>}
            <Definition name="Plan">{planName(me.plan)}</Definition>
            <Definition name="Since">{new Date(user.createdAt).toLocaleDateString(undefined, { dateStyle: 'long' })}</Definition>
          </DefinitionList>
        </div>
      </Section>
      <SessionsSection onLogout={() => setOpenDialog('logout')} />
      <StorageSection plan={me.plan} usage={me.usage} />
      <ExportSection />
      <Section
        title={isGuest ? 'Delete everything' : 'Delete account'}
        description={
          isGuest
            ? 'Removes what you wrote here, for good.'
            : 'Removes your account and everything in it, for good. Organizations that only you are in go with it.'
        }
      >
        <Button variant="danger" onClick={() => setOpenDialog('delete')}>
          {isGuest ? 'Delete everything' : 'Delete account'}
        </Button>
      </Section>
      <PartBoundary part="dialog" resetKey={String(openDialog)} onClose={close}>
        {openDialog === 'logout' && <LogoutDialog isGuest={isGuest} onClose={close} />}
        {(openDialog === 'delete' || openDialog === 'back') && (
          <DeleteDialog userId={user.id} email={user.email} isGuest={isGuest} isBack={openDialog === 'back'} onClose={close} />
        )}
      </PartBoundary>
    </>
  )
}
