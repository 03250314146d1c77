/** The user's organizations and invitations, and a button to create an organization. */
import { Link, useNavigate } from '@tanstack/react-router'
import { ChevronRight, Plus, UsersRound } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'
import { maxOrganizationNameChars, maxOrganizationsPerUser, maxSlugChars } from '../../../worker/contract/limits.ts'
import { cleanName } from '../../../worker/contract/names.ts'
import { isSlug, slugFrom } from '../../../worker/contract/organizations/organization.ts'
import { authCall } from '../../lib/auth-call.ts'
import { canLogIn } from '../../lib/page-settings.ts'
import { serverNowMs } from '../../lib/server-clock.ts'
import { libText } from '../../lib/texts/en.ts'
import { useMe } from '../../sync/hooks.ts'
import { type Membership, useMemberships } from '../../sync/organizations.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Section } from '../../ui/section.tsx'
import { SectionErrorBoundary } from '../../ui/section-error-boundary.tsx'
import { LoadingBlock } from '../../ui/skeleton.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { LogoField, OrganizationLogo } from './logo-field.tsx'
import { TeamFrame, useCall } from './team-frame.tsx'
import { t } from './texts/en.ts'

export function TeamHome() {
  const me = useMe()
  const { memberships, isComplete } = useMemberships()
  const [isCreating, setCreating] = useState(false)
  const isGuest = me?.user.isAnonymous === true
  const limitReason = memberships.length >= maxOrganizationsPerUser ? t('organizationLimit') : undefined
  return (
    <TeamFrame isHome head={<h1 className="md:mt-4 text-title">{t('organizations')}</h1>}>
      <div className="pt-6">
        {isGuest && <GuestNote />}
        {me && !isGuest && (
          <>
            <MyInvitations />
            <Section
              title={t('yours')}
              action={
                memberships.length > 0 && (
                  <Button size="sm" onClick={() => setCreating(true)} disabledReason={limitReason}>
                    <Plus aria-hidden="true" className="size-3.5" />
                    {t('newOrganization')}
                  </Button>
                )
              }
            >
              {memberships.length > 0 ? (
                <ul className="divide-y rounded-lg border">
                  {memberships.map((membership) => (
                    <OrganizationItem key={membership.organization.id} membership={membership} />
                  ))}
                </ul>
              ) : isComplete ? (
                <Empty onCreate={() => setCreating(true)} />
              ) : (
                <LoadingBlock className="h-32" />
              )}
            </Section>
          </>
        )}
      </div>
      {isCreating && (
        <SectionErrorBoundary part="dialog" onClose={() => setCreating(false)}>
          <CreateDialog onClose={() => setCreating(false)} />
        </SectionErrorBoundary>
      )}
    </TeamFrame>
  )
}

function OrganizationItem({ membership: { organization, role, memberCount } }: { readonly membership: Membership }) {
  return (
    <li>
      <Link
        to="/team/$organizationId"
        params={{ organizationId: organization.id }}
        className="flex min-h-14 items-center gap-3 px-4 py-2.5 -outline-offset-2 transition-colors hover:bg-foreground/4"
      >
        <OrganizationLogo name={organization.name} logo={organization.logo} />
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium">{organization.name}</span>
          <span className="block truncate text-xs text-muted-foreground">{t('memberCount', { members: memberCount })}</span>
        </span>
        <Badge tone={role === 'member' ? 'neutral' : 'accent'}>{t(role)}</Badge>
        <ChevronRight aria-hidden="true" className="size-4 text-muted-foreground" />
      </Link>
    </li>
  )
}

function Empty({ onCreate }: { readonly onCreate: () => void }) {
  return (
    <div className="flex flex-col items-center gap-3 rounded-lg border border-dashed px-6 py-10 text-center">
      <UsersRound aria-hidden="true" className="size-6 text-muted-foreground" />
      <p className="max-w-sm text-muted-foreground text-pretty">{t('emptyDescription')}</p>
      <Button variant="primary" onClick={onCreate}>
        {t('createOrganization')}
      </Button>
    </div>
  )
}

function GuestNote() {
  return (
    <div className="rounded-lg border px-4 py-5">
      <p className="max-w-prose text-pretty">{t('needsAccount')}</p>
      {canLogIn && (
        <Link to="/login" search={{ callbackUrl: '/team' }} className={buttonClass({ variant: 'primary', className: 'mt-4' })}>
          {t('logIn')}
        </Link>
      )}
    </div>
  )
}

/** Renders nothing without invitations. */
function MyInvitations() {
  const { invitations, refresh } = useMyInvitations()
  if (invitations.length === 0) return null
  return (
    <Section title={t('invitations')}>
      <ul className="divide-y rounded-lg border">
        {invitations.map((invitation) => (
          <Item key={invitation.id} invitation={invitation} onAnswered={refresh} />
        ))}
      </ul>
    </Section>
  )
}

function Item({
  invitation: { id, organizationId, organizationName },
  onAnswered,
}: {
  readonly invitation: MyInvitation
  readonly onAnswered: () => void
}) {
  const navigate = useNavigate()
  const { isPending, run } = useCall()
  const accept = async () => {
    if (await run('accept-invitation', { invitationId: id }, t('joined', { organization: organizationName }))) {
      await navigate({ to: '/team/$organizationId', params: { organizationId } })
    }
    onAnswered()
  }
  const decline = async () => {
    await run('reject-invitation', { invitationId: id }, t('declined'))
    onAnswered()
  }
  return (
    <li className="flex flex-wrap items-center gap-2 px-4 py-3">
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{organizationName}</span>{' '}
        <span className="block text-xs text-muted-foreground">{t('invitesYouShort')}</span>
      </span>
      <Button size="sm" variant="ghost" onClick={() => void decline()} pending={isPending}>
        {t('decline')}
      </Button>
      <Button size="sm" variant="primary" onClick={() => void accept()} pending={isPending}>
        {t('accept')}
      </Button>
    </li>
  )
}

/** Invitations for the user. Not synced but fetched, because the user cannot read rows of these organizations yet. */
type MyInvitation = {
  readonly id: string
  readonly organizationId: string
  readonly organizationName: string
  readonly role: string
  readonly status: string
  readonly expiresAt: string
}

function useMyInvitations(): { readonly invitations: readonly MyInvitation[]; readonly refresh: () => void } {
  const [invitations, setInvitations] = useState<readonly MyInvitation[]>([])
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round asks again
  useEffect(() => {
    let isCurrent = true
    const ask = async () => {
      const result = await authCall<readonly MyInvitation[]>('organization/list-user-invitations')
      // The page works without them.
      if (isCurrent && result.ok) setInvitations(result.body.filter(isOpen))
    }
    void ask()
    // Refreshes when the user returns, for example from the mail program.
    const onVisible = () => {
      if (document.visibilityState === 'visible') void ask()
    }
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      isCurrent = false
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [round])
  return { invitations, refresh: () => setRound((last) => last + 1) }
}

const isOpen = ({ status, expiresAt }: MyInvitation): boolean => status === 'pending' && Date.parse(expiresAt) > serverNowMs()

/** Mounted while open. A refusal keeps the dialog open with its input. */
function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate()
  const { draft, change, reason } = useOrganizationDraft()
  const [isPending, setPending] = useState(false)
  const [refused, setRefused] = useState<{ readonly code: string | null; readonly message: string } | null>(null)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (reason || isPending) return
    setPending(true)
    setRefused(null)
    const { name, slug, logo } = draft
    const result = await authCall<{ id: string }>('organization/create', { name: cleanName(name), slug, ...(logo && { logo }) })
    setPending(false)
    if (!result.ok) return setRefused(result)
    onClose()
    await navigate({ to: '/team/$organizationId', params: { organizationId: result.body.id } })
  }
  const ofField = refused && fieldRefusalOf(refused)
  return (
    <Dialog open title={t('newOrganization')} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)} className="mt-4">
        <OrganizationFields draft={draft} change={change} refused={ofField} />
        {refused && !ofField && (
          <p role="alert" className="mt-4 text-danger text-pretty">
            {refused.message}
          </p>
        )}
        <div className="mt-5 flex justify-end gap-2">
          <Button onClick={onClose}>{libText('cancel')}</Button>
          <Button type="submit" variant="primary" pending={isPending} disabledReason={reason}>
            {t('create')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Name, slug and logo of a new organization. */
type OrganizationDraft = { readonly name: string; readonly slug: string; readonly logo: string | null }

type Draft = {
  readonly draft: OrganizationDraft
  readonly change: (changes: Partial<OrganizationDraft>) => void
  /** Why it cannot be saved. */
  readonly reason: string | undefined
}

/** The slug follows the name until the user edits it. */
function useOrganizationDraft(): Draft {
  const [changes, setChanges] = useState<Partial<OrganizationDraft>>({})
  const { name = '', slug = slugFrom(name, maxSlugChars), logo = null } = changes
  const draft = { name, slug, logo }
  return { draft, change: (more) => setChanges({ ...changes, ...more }), reason: disabledReason({ ...draft, name: cleanName(name) }) }
}

function disabledReason({ name, slug }: OrganizationDraft): string | undefined {
  if (name === '') return t('enterName')
  if (name.length > maxOrganizationNameChars) return t('shortenName')
  if (slug === '') return t('enterSlug')
  if (slug.length > maxSlugChars) return t('shortenSlug')
  return isSlug(slug) ? undefined : t('slugProblem')
}

/** A refusal of the server, shown at its field. */
type FieldRefusal = { readonly field: 'name' | 'slug' | 'logo'; readonly message: string }

const fieldOfCode: { readonly [code: string]: FieldRefusal['field'] } = {
  name_invalid: 'name',
  slug_invalid: 'slug',
  ORGANIZATION_ALREADY_EXISTS: 'slug',
  ORGANIZATION_SLUG_ALREADY_TAKEN: 'slug',
  logo_invalid: 'logo',
}

/** Null if the refusal belongs to no field. */
function fieldRefusalOf({ code, message }: { readonly code: string | null; readonly message: string }): FieldRefusal | null {
  const field = code === null ? undefined : fieldOfCode[code]
  return field === undefined ? null : { field, message }
}

type FieldsProps = Omit<Draft, 'reason'> & { readonly refused: FieldRefusal | null }

function OrganizationFields({ draft, change, refused }: FieldsProps) {
  const isSlugInvalid = draft.slug !== '' && !isSlug(draft.slug)
  const refusedIn = (field: FieldRefusal['field']) => (refused?.field === field ? refused.message : undefined)
  return (
    <div className="flex flex-col gap-4">
      <TextField
        label={t('name')}
        error={refusedIn('name')}
        value={draft.name}
        onValueChange={(name) => change({ name })}
        maxChars={maxOrganizationNameChars}
        autoComplete="organization"
      />
      <TextField
        label={t('slug')}
        description={t('slugDescription')}
        error={isSlugInvalid ? t('slugProblem') : refusedIn('slug')}
        value={draft.slug}
        onValueChange={(slug) => change({ slug })}
        maxChars={maxSlugChars}
        autoComplete="off"
        spellCheck={false}
        autoCapitalize="none"
      />
      <LogoField name={draft.name} logo={draft.logo} onChange={(logo) => change({ logo })} />
      {refused?.field === 'logo' && (
        <p role="alert" className="text-xs text-danger text-pretty">
          {refused.message}
        </p>
      )}
    </div>
  )
}
