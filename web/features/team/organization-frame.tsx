/**
 * Frame of one organization: heading, tabs, and the page for a missing one. Removal of the user, deletion of the organization and an
 * unknown address look the same and show at once. Opening it makes it the active organization.
 */
import { Link, Outlet, useParams } from '@tanstack/react-router'
import { createContext, useContext, useEffect } from 'react'
import { authCall } from '../../lib/auth-call.ts'
import { pageSettings } from '../../lib/page-settings.ts'
import { type OrganizationView, useOrganization } from '../../sync/organizations.ts'
import { Badge } from '../../ui/badge.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { LoadingBlock } from '../../ui/skeleton.tsx'
import { TabBar, TabLink, TabPage, Tabs } from '../../ui/tab-bar.tsx'
import { OrganizationLogo } from './logo-field.tsx'
import { TeamFrame } from './team-frame.tsx'
import { t } from './texts/en.ts'

export function OrganizationFrame() {
  const { organizationId } = useParams({ from: '/live/team/$organizationId' })
  const { state, view } = useOrganization(organizationId)
  const isFound = state === 'found'
  useEffect(() => {
    // If this fails, every request from the page still contains the organization id.
    if (isFound) void authCall('organization/set-active', { organizationId })
  }, [isFound, organizationId])
  if (state === 'missing') return <MissingOrganization />
  if (!view) {
    return (
      <TeamFrame head={null}>
        <LoadingBlock className="mt-6 h-64" />
      </TeamFrame>
    )
  }
  return (
    <OrganizationContext value={view}>
      <Tabs>
        <TeamFrame head={<Head view={view} />}>
          <TabPage>
            <Outlet />
          </TabPage>
        </TeamFrame>
      </Tabs>
    </OrganizationContext>
  )
}

const tabs = [
  { to: '/team/$organizationId', name: 'members' },
  { to: '/team/$organizationId/teams', name: 'teams' },
  { to: '/team/$organizationId/tools', name: 'tools' },
  ...(pageSettings.billing ? [{ to: '/team/$organizationId/billing', name: 'billing' } as const] : []),
  { to: '/team/$organizationId/settings', name: 'settings' },
] as const

function Head({ view: { organization, role } }: { readonly view: OrganizationView }) {
  return (
    <>
      <div className="flex items-center gap-3 md:mt-4">
        <OrganizationLogo name={organization.name} logo={organization.logo} className="size-11" />
        <h1 className="line-clamp-3 min-w-0 text-title break-words">{organization.name}</h1>
        <Badge tone={role === 'member' ? 'neutral' : 'accent'}>{t(role)}</Badge>
      </div>
      <TabBar label={t('organization')}>
        {tabs.map(({ to, name }) => (
          <TabLink
            key={to}
            path={to.replace('$organizationId', organization.id)}
            link={<Link to={to} params={{ organizationId: organization.id }} activeOptions={{ exact: true }} />}
          >
            {t(name)}
          </TabLink>
        ))}
      </TabBar>
    </>
  )
}

function MissingOrganization() {
  return (
    <TeamFrame head={<h1 className="md:mt-4 text-title">{t('organizationNotFound')}</h1>}>
      <p role="status" className="mt-2 max-w-prose text-muted-foreground text-pretty">
        {t('organizationMissing')}
      </p>
      <Link to="/team" className={buttonClass({ variant: 'primary', className: 'mt-5' })}>
        {t('yourOrganizations')}
      </Link>
    </TeamFrame>
  )
}

const OrganizationContext = createContext<OrganizationView | undefined>(undefined)

/** The organization of the surrounding frame. */
export function useOrganizationView(): OrganizationView {
  const view = useContext(OrganizationContext)
  if (!view) throw new Error('rendered outside OrganizationFrame')
  return view
}
