/**
 * Who may do what in an organization: specification section 6 as data. The server builds its access control from it and the interface
 * shows and explains by it. Reading is every member's and not listed.
 */

export const organizationActions = {
  organization: ['update', 'delete'],
  member: ['create', 'update', 'delete'],
  invitation: ['create', 'cancel'],
  team: ['create', 'update', 'delete'],
} as const

export type OrganizationResource = keyof typeof organizationActions
export type OrganizationAction<R extends OrganizationResource> = (typeof organizationActions)[R][number]
export type OrganizationRole = 'owner' | 'admin' | 'member'

type Grants = { readonly [R in OrganizationResource]: readonly OrganizationAction<R>[] }

export const organizationGrants: { readonly [role in OrganizationRole]: Grants } = {
  owner: organizationActions,
  admin: { ...organizationActions, organization: ['update'] },
  member: { organization: [], member: [], invitation: [], team: [] },
}

/** From most to least. */
export const organizationRoleNames: readonly OrganizationRole[] = ['owner', 'admin', 'member']

export const isOrganizationRole = (value: unknown): value is OrganizationRole => organizationRoleNames.some((role) => role === value)

/** A role nobody knows may do nothing. */
export const roleOf = (role: string | null | undefined): OrganizationRole => (isOrganizationRole(role) ? role : 'member')

export function mayDo<R extends OrganizationResource>(role: OrganizationRole, resource: R, action: OrganizationAction<R>): boolean {
  const granted: readonly string[] = organizationGrants[role][resource]
  return granted.includes(action)
}

/** The roles that somebody with `role` may give or take: only owners make owners, and only they touch one. */
export const rolesInReach = (role: OrganizationRole): readonly OrganizationRole[] =>
  role === 'owner' ? organizationRoleNames : mayDo(role, 'member', 'update') ? ['admin', 'member'] : []

/** Why this membership cannot be ended or its role lowered, or null: an organization keeps at least one owner. */
export const isLastOwner = (memberId: string, members: readonly { readonly id: string; readonly role?: string | null }[]): boolean => {
  const owners = members.filter(({ role }) => role === 'owner')
  return owners.length === 1 && owners[0]?.id === memberId
}

const slugPattern = /^[a-z0-9]+(-[a-z0-9]+)*$/

export const isSlug = (value: string): boolean => slugPattern.test(value)

/** What a name suggests as a slug: 'Ateliér Nord' becomes 'atelier-nord'. */
export const slugFrom = (name: string, maxChars: number): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxChars)
    .replace(/^-+|-+$/g, '')

/** A logo is a small picture inside the row: nobody's server hears who looks at it, and nothing in it can run. */
const logoPattern = /^data:image\/(png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}$/

export const isLogo = (value: string, maxChars: number): boolean => value.length <= maxChars && logoPattern.test(value)
