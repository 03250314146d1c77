/** Organization rows as features read them, live. */
import type { QueryResultType } from '@rocicorp/zero'
import { useQuery } from '@rocicorp/zero/react'
import { useMemo } from 'react'
import { type OrganizationRole, roleOf } from '../../worker/contract/organizations/organization.ts'
import { givesPro, type Subscription } from '../../worker/contract/organizations/subscription.ts'
import { subscriptionState } from '../../worker/contract/organizations/subscription-state.ts'
import { queries } from '../../worker/contract/queries.ts'
import type { RowOf } from '../../worker/contract/schema.ts'
import { useServerNow } from '../lib/server-clock.ts'
import { options } from './query-options.ts'

type OrganizationRow = RowOf<'organization'>
export type InvitationRow = RowOf<'invitation'>
export type Member = {
  readonly id: string
  readonly userId: string
  readonly role: OrganizationRole
  readonly name: string
  readonly email: string
}
export type Team = { readonly id: string; readonly name: string; readonly members: readonly Member[] }

/** An organization of the user, and the user's role in it. */
export type Membership = { readonly organization: OrganizationRow; readonly role: OrganizationRole; readonly memberCount: number }

export function useMemberships(): { readonly memberships: readonly Membership[]; readonly isComplete: boolean } {
  const [rows, { type }] = useQuery(queries.organizations.mine(), options)
  const memberships = useMemo(
    () =>
      rows
        .flatMap(({ organization, role }) =>
          organization ? [{ organization, role: roleOf(role), memberCount: organization.members.length }] : [],
        )
        .sort((a, b) => a.organization.name.localeCompare(b.organization.name)),
    [rows],
  )
  return { memberships, isComplete: type === 'complete' }
}

/** An organization whose payments give the user PRO now, and whether they renew. */
export type Payer = { readonly id: string; readonly name: string; readonly isLasting: boolean }

export function usePayers(): readonly Payer[] {
  const [rows] = useQuery(queries.organizations.mine(), options)
  const nowMs = useServerNow()
  return rows
    .flatMap(({ organization }): readonly Payer[] => {
      const subscription = organization?.customer?.subscription
      if (!organization || !subscription || !givesPro(subscription, nowMs)) return []
      return [{ id: organization.id, name: organization.name, isLasting: subscriptionState(subscription, nowMs).kind === 'renews' }]
    })
    .sort((a, b) => a.name.localeCompare(b.name))
}

export type OrganizationView = {
  readonly organization: OrganizationRow
  /** The user's membership. */
  readonly memberId: string
  readonly role: OrganizationRole
  readonly members: readonly Member[]
  readonly invitations: readonly InvitationRow[]
  readonly teams: readonly Team[]
  /** The subscription for its members; null if there was never one. */
  readonly subscription: Subscription | null
}

type OrganizationState =
  | { readonly state: 'loading' | 'missing'; readonly view?: undefined }
  | { readonly state: 'found'; readonly view: OrganizationView }

export function useOrganization(organizationId: string): OrganizationState {
  const [row, { type }] = useQuery(queries.organizations.one({ organizationId }), options)
  const view = useMemo(() => row?.organization && viewOf(row, row.organization), [row])
  // Rows of the organization list arrive first, without names.
  const isWhole = type === 'complete' || view?.members.some(({ id }) => id === view.memberId) === true
  if (view && isWhole) return { state: 'found', view }
  return { state: type === 'complete' ? 'missing' : 'loading' }
}

type OneRow = NonNullable<QueryResultType<typeof queries.organizations.one>>

function viewOf(mine: OneRow, organization: NonNullable<OneRow['organization']>): OrganizationView {
  const members = organization.members.flatMap(({ id, userId, role, profile }) =>
    // A membership and its profile may arrive in two pokes.
    profile ? [{ id, userId, role: roleOf(role), name: profile.name, email: profile.email }] : [],
  )
  const byUser = new Map(members.map((member) => [member.userId, member]))
  return {
    organization,
    memberId: mine.id,
    role: roleOf(mine.role),
    members,
    invitations: organization.invitations,
    subscription: organization.customer?.subscription ?? null,
    teams: organization.teams.map(({ id, name, members: teamMembers }) => ({
      id,
      name,
      members: teamMembers.flatMap(({ userId }) => byUser.get(userId) ?? []),
    })),
  }
}
