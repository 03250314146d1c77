/** The Account page. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Link2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { contentState, type Plan } from '../../../worker/contract/access.ts'
import { refusalIn } from '../../../worker/contract/errors.ts'
import { maxNameChars } from '../../../worker/contract/limits.ts'
import { authCall } from '../../lib/auth-call.ts'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import { formatDate, formatNumber } from '../../lib/i18n/intl-format.ts'
import { useLoginSearch } from '../../lib/navigation.ts'
import { publicUrls } from '../../lib/public-urls.ts'
import { refusalSentence } from '../../lib/refusals/sentence.ts'
import { saveFile } from '../../lib/save-file.ts'
import { useMe } from '../../sync/hooks.ts'
import type { UsageRow } from '../../sync/rows.ts'
import { type SharedLink, shareUrl, useIsSharingOff, useRevokeShare, useShares } from '../../sync/shares.ts'
import { AutosavedField } from '../../ui/autosaved-field.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LinkItem } from '../../ui/link-item.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Definition, DefinitionList, Section } from '../../ui/section.tsx'
import { SectionErrorBoundary } from '../../ui/section-error-boundary.tsx'
import { LoadingBlock } from '../../ui/skeleton.tsx'
import { toastRefusal } from '../../ui/toast-refusal.ts'
import { toast, toastWhile } from '../../ui/toaster.tsx'
import { DeleteDialog } from './delete-account-dialog.tsx'
import { ImportSection } from './import/import-section.tsx'
import { SessionsSection, useSessions } from './sessions-section.tsx'
import { t } from './texts/en.ts'
import { LogoutDialog } from './user-menu-items.tsx'

export function AccountPage() {
  // After a new login that was required to delete the account.
  const { delete: reauthenticatedUserId } = useSearch({ from: '/live/account/' })
  const me = useMe()
  const sessions = useSessions()
  const sharedLinks = useShares()
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
      {isGuest && <GuestNote />}
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
      <StorageSection plan={me.plan} usage={me.usage} />
      <ImportSection userId={user.id} />
      <ExportSection />
      {/* Below the sections of known height, so that the sessions move nothing when they load. Shared links are synced and usually load first. */}
      {sessions.state === null ? (
        <LoadingBlock className="h-96" />
      ) : (
        <>
          <SharedLinksSection {...sharedLinks} />
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

/** Resolves with null, or with the sentence of a refusal. A link could not show that sentence: it would download the refusal as a file. */
async function downloadExport(): Promise<string | null> {
  try {
    const response = await fetch(`${publicUrls().apiUrl}/api/account/export`, { credentials: 'include' })
    if (!response.ok) return refusalSentence(refusalIn(await response.json().catch(() => null)))
    const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1]
    saveFile(await response.blob(), name ?? 'parley.json')
    return null
  } catch {
    return t('downloadInterrupted')
  }
}

/** Downloads the user's data as one file, or shows why the server refused. */
function ExportSection() {
  const [isPending, setPending] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const download = async () => {
    setPending(true)
    setProblem(null)
    setProblem(await toastWhile(t('preparingData'), downloadExport()))
    setPending(false)
  }
  return (
    <Section title={t('yourData')} description={t('yourDataDescription')}>
      <Button pending={isPending} onClick={() => void download()}>
        {t('downloadData')}
      </Button>
      {problem !== null && (
        <p role="alert" className="mt-2 text-danger text-pretty">
          {problem}
        </p>
      )}
    </Section>
  )
}

/** Chosen: the section stays short, and few users have more links. */
const shownAtFirst = 5

type SharedLinksSectionProps = { readonly shares: readonly SharedLink[]; readonly isComplete: boolean }

/** The user's shared links. The list is live: a link that another device creates or revokes appears or disappears at once. */
function SharedLinksSection({ shares, isComplete }: SharedLinksSectionProps) {
  const { revoking, revoke } = useRevokeShare()
  const [showsAll, setShowsAll] = useState(false)
  const isOff = useIsSharingOff()
  const shown = showsAll ? shares : shares.slice(0, shownAtFirst)
  return (
    <Section title={t('sharedLinks')} description={t(isOff ? 'sharedLinksOff' : 'sharedLinksDescription')}>
      {shares.length === 0 && (
        <EmptyState icon={Link2} isLoading={!isComplete}>
          {t('noSharedLinks')}
        </EmptyState>
      )}
      {shares.length > 0 && (
        <ul className="divide-y rounded-lg border">
          {shown.map((share) => (
            <LinkItem
              key={share.id}
              title={share.title ?? t('untitledLink')}
              url={shareUrl(share.id)}
              link={share}
              isRevoking={revoking.has(share.id)}
              onRevoke={() => void toastRefusal(revoke(share.id))}
            />
          ))}
        </ul>
      )}
      {shown.length < shares.length && (
        <Button className="mt-3" onClick={() => setShowsAll(true)}>
          {t('showAllLinks', { links: shares.length })}
        </Button>
      )}
    </Section>
  )
}

type StorageSectionProps = { readonly plan: Plan; readonly usage: UsageRow | undefined }

/** How much of the plan's storage for threads and messages is used. */
function StorageSection({ plan, usage }: StorageSectionProps) {
  const { bytes, maxBytes, rows, maxRows, share, warn } = contentState(plan, usage)
  // The counts are rounded down, so that those of a new account would read as zero.
  const isUnused = share < 0.01
  return (
    <Section title={t('storage')} description={t('storageDescription')}>
      <div className="flex flex-wrap justify-between gap-x-4 text-muted-foreground">
        <span>{isUnused ? t('lessThan1Percent') : t('ofSize', { used: megabytes(bytes), max: megabytes(maxBytes) })}</span>
        <span>{isUnused ? t('ofSizeAndRows', { max: megabytes(maxBytes), rows: maxRows }) : t('ofRows', { rows, max: maxRows })}</span>
      </div>
      <Meter
        label={t('storageUsed')}
        value={Math.round(Math.min(1, share) * 1000) / 10}
        max={100}
        tone={warn ? 'warning' : 'accent'}
        className="mt-2.5 h-1.5"
      />
      {share >= 1 && (
        <p role="status" className="mt-3 text-pretty">
          {refusalSentence({ code: 'content_full' })}
        </p>
      )}
    </Section>
  )
}

const megabyte = 1024 * 1024

/** Binary megabytes, like the limits. */
const megabytes = (bytes: number): string =>
  formatNumber(bytes / megabyte, {
    style: 'unit',
    unit: 'megabyte',
    maximumFractionDigits: bytes < megabyte ? 2 : bytes < 10 * megabyte ? 1 : 0,
  })
