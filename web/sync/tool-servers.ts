/** The tool servers of the user and of the user's organizations. The server alone writes their rows. */
import { useQuery } from '@rocicorp/zero/react'
import { queries } from '../../worker/contract/queries.ts'
import { hasOffer } from '../../worker/contract/tools/tool-servers.ts'
import { options } from './query-options.ts'
import type { OrganizationToolServerRow, ToolServerRow } from './rows.ts'

export function useToolServers(): { readonly servers: readonly ToolServerRow[]; readonly isComplete: boolean } {
  const [servers, { type }] = useQuery(queries.toolServers.mine(), options)
  return { servers, isComplete: type === 'complete' }
}

export type OrganizationWithServers = {
  readonly id: string
  readonly name: string
  readonly toolServers: readonly OrganizationToolServerRow[]
}

/** The organizations of the user, with their servers. */
export function useServersOfOrganizations(): { readonly organizations: readonly OrganizationWithServers[]; readonly isComplete: boolean } {
  const [memberships, { type }] = useQuery(queries.toolServers.ofOrganizations(), options)
  return { organizations: memberships.flatMap(({ organization }) => organization ?? []), isComplete: type === 'complete' }
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
  const all = [
    ...servers.map((server) => ({ ...server, isOfOrganization: false })),
    ...organizations.flatMap(({ name: organization, toolServers }) =>
      toolServers.map((server) => ({ ...server, organization, isOfOrganization: true })),
    ),
  ]
  return all.filter(hasOffer)
}
