/** The user's organizations and invitations, and a button to create an organization. */
import { Link } from '@tanstack/react-router'
import { ChevronRight, Plus, UsersRound } from 'lucide-react'
import { useState } from 'react'
import { maxOrganizationsPerPerson } from '../../../worker/contract/limits.ts'
import { useMe } from '../../sync/hooks.ts'
import { type Membership, useMemberships } from '../../sync/organizations.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Section } from '../../ui/section.tsx'
import { SectionErrorBoundary } from '../../ui/section-error-boundary.tsx'
import { LoadingBlock } from '../../ui/skeleton.tsx'
import { CreateDialog } from './create-dialog.tsx'
import { OrganizationLogo } from './logo-field.tsx'
import { MyInvitations } from './my-invitations.tsx'
import { TeamFrame } from './team-frame.tsx'
import { t } from './texts/en.ts'

export function TeamHome() {
  const me = useMe()
  const { memberships, isComplete } = useMemberships()
  const [isCreating, setCreating] = useState(false)
  const isGuest = me?.user.isAnonymous === true
  const limitReason = memberships.length >= maxOrganizationsPerPerson ? t('organizationLimit') : undefined
  return (
    <TeamFrame isHome head={<h1 className="mt-4 text-2xl font-semibold tracking-tight">{t('organizations')}</h1>}>
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
      <p className="max-w-sm text-muted-foreground text-pretty">{t('emptyHint')}</p>
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
      <Link to="/login" search={{ callbackUrl: '/team' }} className={buttonClass({ variant: 'primary', className: 'mt-4' })}>
        {t('logIn')}
      </Link>
    </div>
  )
}
