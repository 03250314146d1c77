/** The servers of tools that the user has connected, and those of the user's organizations. */
import { Link, useSearch } from '@tanstack/react-router'
import { Wrench } from 'lucide-react'
import { useMe } from '../../../sync/hooks.ts'
import { useServersOfOrganizations, useToolServers } from '../../../sync/tool-servers.ts'
import { buttonClass, linkClass } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { Section } from '../../../ui/section.tsx'
import { ServerItems, ServerList, useLoginOutcome } from './server-list.tsx'
import { t } from './texts/en.ts'

export function ToolsPage() {
  const me = useMe()
  const { servers, isComplete } = useToolServers()
  const { organizations } = useServersOfOrganizations()
  const shared = organizations.filter(({ toolServers }) => toolServers.length > 0).sort((a, b) => a.name.localeCompare(b.name))
  const { login } = useSearch({ from: '/live/account/tools' })
  useLoginOutcome(login)
  if (me?.user.isAnonymous)
    return (
      <EmptyState icon={Wrench}>
        {t('guest')}{' '}
        <Link to="/login" search={{ callbackUrl: '/account/tools' }} className={linkClass}>
          {t('logIn')}
        </Link>
      </EmptyState>
    )
  return (
    <ServerList
      servers={servers.map(({ url, ...server }) => ({ ...server, host: URL.parse(url)?.host ?? url }))}
      isComplete={isComplete}
      intro={t('intro')}
    >
      {shared.map(({ id, name, toolServers }) => (
        <div key={id} className="mt-8">
          <Section
            title={t('managedBy', { organization: name })}
            description={t('managedByDescription')}
            action={
              <Link
                to="/team/$organizationId/tools"
                params={{ organizationId: id }}
                aria-label={t('openOrganizationNamed', { organization: name })}
                className={buttonClass({ size: 'sm' })}
              >
                {t('openOrganization')}
              </Link>
            }
          >
            <ServerItems servers={toolServers} use="member" />
          </Section>
        </div>
      ))}
    </ServerList>
  )
}
