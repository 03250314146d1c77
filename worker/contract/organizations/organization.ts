/**
 * Permissions in an organization, as data. The server builds its access control from it and the page shows actions
 * by it. Every member may read; reading is not listed.
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

/** Most powerful first. */
export const organizationRoleNames: readonly OrganizationRole[] = ['owner', 'admin', 'member']

export const isOrganizationRole = (value: unknown): value is OrganizationRole => organizationRoleNames.some((role) => role === value)

/** An unknown role has the permissions of a member. */
export const roleOf = (role: string | null | undefined): OrganizationRole => (isOrganizationRole(role) ? role : 'member')

export function mayDo<R extends OrganizationResource>(role: OrganizationRole, resource: R, action: OrganizationAction<R>): boolean {
  const granted: readonly string[] = organizationGrants[role][resource]
  return granted.includes(action)
}

/** Owners and admins manage the tool servers of an organization. */
export const mayManageServers = (role: OrganizationRole): boolean => mayDo(role, 'organization', 'update')

/** The roles that a user with `role` may assign or change. Only owners manage owners. */
export const assignableRoles = (role: OrganizationRole): readonly OrganizationRole[] =>
  role === 'owner' ? organizationRoleNames : mayDo(role, 'member', 'update') ? ['admin', 'member'] : []

/** True if this member is the only owner. The last owner can neither leave nor lose the role. */
export const isLastOwner = (memberId: string, members: readonly { readonly id: string; readonly role?: string | null }[]): boolean => {
  const owners = members.filter(({ role }) => role === 'owner')
  return owners.length === 1 && owners[0]?.id === memberId
}

const slugPattern = /^[a-z0-9]+(-[a-z0-9]+)*$/

export const isSlug = (value: string): boolean => slugPattern.test(value)

/** Suggests a slug for a name: 'Ateliér Nord' becomes 'atelier-nord'. */
export const slugFrom = (name: string, maxChars: number): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxChars)
    .replace(/^-+|-+$/g, '')

/** A logo is a small image inside the row: it causes no request to another server and cannot contain scripts. */
const logoPattern = /^data:image\/(png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}$/

export const isLogo = (value: string, maxChars: number): boolean => value.length <= maxChars && logoPattern.test(value)
