/** The user's name, where the user is logged in, and the deletion of the account. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { maxNameChars } from '../../../worker/contract/limits.ts'
import { authCall } from '../../lib/auth-call.ts'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import { formatDate } from '../../lib/i18n/format-dates.ts'
import { useLoginSearch } from '../../lib/navigation.ts'
import { canLogIn } from '../../lib/page-settings.ts'
import { useMe } from '../../sync/hooks.ts'
import { AutosavedField } from '../../ui/autosaved-field.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Definition, DefinitionList, Section } from '../../ui/section.tsx'
import { SectionErrorBoundary } from '../../ui/section-error-boundary.tsx'
import { LoadingBlock } from '../../ui/skeleton.tsx'
import { toast } from '../../ui/toaster.tsx'
import { DeleteDialog } from './delete-account-dialog.tsx'
import { SessionsSection, useSessions } from './sessions-section.tsx'
import { t } from './texts/en.ts'
import { LogoutDialog } from './user-menu-items.tsx'

export function AccountPage() {
  // After a new login that was required to delete the account.
  const { delete: reauthenticatedUserId } = useSearch({ from: '/live/account/' })
  const me = useMe()
  const sessions = useSessions()
  const [openDialog, setOpenDialog] = useState<'logout' | 'delete' | 'deleteReauthenticated' | null>(null)
  const navigate = useNavigate()
  const myId = me?.user.id
  useEffect(() => {
    if (reauthenticatedUserId === undefined || myId === undefined) return
    void navigate({ to: '/account', search: {}, replace: true })
    if (reauthenticatedUserId === myId) setOpenDialog('deleteReauthenticated')
    else toast('warning', t('otherAccount'), { description: t('nothingDeleted'), id: 'delete' })
  }, [reauthenticatedUserId, myId, navigate])
  if (!me) return <LoadingBlock className="h-96" />
  const { user } = me
  const isGuest = user.isAnonymous === true
  const close = () => setOpenDialog(null)
  return (
    <>
      {canLogIn && isGuest && <GuestNote />}
      <Section title={t('profile')}>
        {/* `emptyProblem`: the name is required, because other users see it. */}
        <AutosavedField
          label={t('name')}
          description={t('nameDescription')}
          maxChars={maxNameChars}
          autoComplete="name"
          saved={user.name}
          emptyProblem={t('enterName')}
          save={saveName}
        />
        <div className="mt-4">
          <DefinitionList>
            {!isGuest && <Definition name={t('email')}>{user.email}</Definition>}
            <Definition name={t('plan')}>{firstPaintText(me.plan)}</Definition>
            <Definition name={t('since')}>{formatDate(user.createdAt, 'long')}</Definition>
          </DefinitionList>
        </div>
      </Section>
      {/* Below the section of known height, so that the sessions move nothing when they load. */}
      {sessions.state === null ? (
        <LoadingBlock className="h-96" />
      ) : (
        <>
          <SessionsSection state={sessions.state} refresh={sessions.refresh} onLogout={() => setOpenDialog('logout')} />
          <Section
            title={t(isGuest ? 'deleteEverything' : 'deleteAccount')}
            description={t(isGuest ? 'deleteEverythingDescription' : 'deleteAccountDescription')}
          >
            <Button variant="danger-outline" onClick={() => setOpenDialog('delete')}>
              {t(isGuest ? 'deleteEverything' : 'deleteAccount')}
            </Button>
          </Section>
        </>
      )}
      <SectionErrorBoundary part="dialog" resetKey={String(openDialog)} onClose={close}>
        {openDialog === 'logout' && <LogoutDialog isGuest={isGuest} onClose={close} />}
        {(openDialog === 'delete' || openDialog === 'deleteReauthenticated') && (
          <DeleteDialog
            userId={user.id}
            email={user.email}
            isGuest={isGuest}
            isReauthenticated={openDialog === 'deleteReauthenticated'}
            onClose={close}
          />
        )}
      </SectionErrorBoundary>
    </>
  )
}

async function saveName(name: string): Promise<string | undefined> {
  const result = await authCall('update-user', { name })
  return result.ok ? undefined : result.message
}

function GuestNote() {
  const loginSearch = useLoginSearch()
  return (
    <aside
      aria-label={t('guest')}
      className="mb-6 flex items-center gap-3 rounded-lg border border-warning/40 bg-warning/6 px-3 py-2 sm:gap-4 sm:p-4"
    >
      <div className="min-w-0 flex-1">
        <h2 className="font-semibold max-sm:sr-only">{t('guestTitle')}</h2>
        <p className="text-xs text-muted-foreground text-pretty sm:hidden">{t('guestShort')}</p>
        <p className="mt-1 text-muted-foreground text-pretty max-sm:hidden">{t('guestNote')}</p>
      </div>
      <Link to="/login" search={loginSearch} className={buttonClass({ variant: 'primary' })}>
        {t('logIn')}
      </Link>
    </aside>
  )
}
