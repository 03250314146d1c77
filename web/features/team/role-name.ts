import type { OrganizationRole } from '../../../worker/contract/organization.ts'

export const roleNames: { readonly [role in OrganizationRole]: string } = { owner: 'Owner', admin: 'Admin', member: 'Member' }

/** The permissions of each role in one line. */
export const roleHints: { readonly [role in OrganizationRole]: string } = {
  owner: 'Everything, and deleting the organization.',
  admin: 'Everything but deleting the organization.',
  member: 'Sees the organization and its people.',
}

/** Shown to members without the permission. */
export const onlyAdmins = 'Owners and admins can do this.'
export const onlyOwners = 'Only owners can do this.'
