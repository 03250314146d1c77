/** The tool servers of the user and of the user's organizations. The server alone writes their rows. */
import { useQuery } from '@rocicorp/zero/react'
import { useMemo } from 'react'
import { queries } from '../../worker/contract/queries.ts'
import { hasOffer } from '../../worker/contract/tools/tool-servers.ts'
import { options } from './query-options.ts'
import type { OrganizationToolServerRow, ToolServerRow } from './rows.ts'

export function useToolServers(): { readonly servers: readonly ToolServerRow[]; readonly isComplete: boolean } {
  const [servers, { type }] = useQuery(queries.toolServers.mine(), options)
  return { servers, isComplete: type === 'complete' }
}

/** An organization with servers. */
export type ServersOfOrganization = {
  readonly id: string
  readonly name: string
  readonly servers: readonly OrganizationToolServerRow[]
}

/** By the name of the organization. */
export function useServersOfOrganizations(): { readonly organizations: readonly ServersOfOrganization[]; readonly isComplete: boolean } {
  const [memberships, { type }] = useQuery(queries.toolServers.ofOrganizations(), options)
  const organizations = useMemo(
    () =>
      memberships
        .flatMap(({ organization }) =>
          organization && organization.toolServers.length > 0
            ? [{ id: organization.id, name: organization.name, servers: organization.toolServers }]
            : [],
        )
        .sort((a, b) => a.name.localeCompare(b.name)),
    [memberships],
  )
  return { organizations, isComplete: type === 'complete' }
}

/** The web or a server, as a menu names it. */
export type SourceName = {
  readonly id: string
  readonly name: string
  /** The name of the organization that manages it. */
  readonly organization?: string
  readonly isOfOrganization: boolean
}

export type ServerSource = SourceName & Pick<ToolServerRow, 'tools' | 'off' | 'resources' | 'prompts' | 'createdAt'>

/** The servers that offer anything. */
export function useServerSources(): readonly ServerSource[] {
  const { servers } = useToolServers()
  const { organizations } = useServersOfOrganizations()
  return useMemo(
    () => [
      ...servers.filter(hasOffer).map((server) => ({ ...server, isOfOrganization: false })),
      ...organizations.flatMap(({ name: organization, servers: shared }) =>
        shared.filter(hasOffer).map((server) => ({ ...server, organization, isOfOrganization: true })),
      ),
    ],
    [servers, organizations],
  )
}
