import type { OrganizationRole } from '../../../worker/contract/organization.ts'

export const roleNames: { readonly [role in OrganizationRole]: string } = { owner: 'Owner', admin: 'Admin', member: 'Member' }

/** What each may do, in one line. */
export const roleHints: { readonly [role in OrganizationRole]: string } = {
  owner: 'Everything, and deleting the organization.',
  admin: 'Everything but deleting the organization.',
  member: 'Sees the organization and its people.',
}

/** Why somebody with `role` cannot do it. */
export const onlyAdmins = 'Owners and admins can do this.'
export const onlyOwners = 'Only owners can do this.'
