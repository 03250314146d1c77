/** The servers of tools of an organization, inside its frame. Owners and admins change them, other members see them. */
import { useParams, useSearch } from '@tanstack/react-router'
import { Wrench } from 'lucide-react'
import { mayManageServers } from '../../../../worker/contract/organizations/organization.ts'
import { useOrganization } from '../../../sync/organizations.ts'
import { useServersOfOrganizations } from '../../../sync/tool-servers.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { ServerItems, ServerList, useLoginOutcome } from './server-list.tsx'
import { t } from './texts/en.ts'

export function OrganizationToolsPage() {
  const { organizationId } = useParams({ from: '/live/team/$organizationId/tools' })
  const { view } = useOrganization(organizationId)
  const { organizations, isComplete } = useServersOfOrganizations()
  const { login } = useSearch({ from: '/live/team/$organizationId/tools' })
  useLoginOutcome(login)
  // The frame shows that the organization is missing.
  if (!view) return null
  const servers = organizations.find(({ id }) => id === organizationId)?.toolServers ?? []
  if (mayManageServers(view.role))
    return <ServerList servers={servers} isComplete={isComplete} intro={t('organizationIntro')} organizationId={organizationId} />
  return (
    <>
      <p className="mb-4 max-w-prose text-muted-foreground text-pretty">{t('memberIntro')}</p>
      {servers.length > 0 ? (
        <ServerItems servers={servers} use="member" />
      ) : (
        <EmptyState icon={Wrench} isLoading={!isComplete}>
          {t('noServers')}
        </EmptyState>
      )}
    </>
  )
}
