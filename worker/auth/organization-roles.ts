/** The contract's grants as better-auth's access control takes them. */
import { createAccessControl } from 'better-auth/plugins/access'
import { organizationActions, organizationGrants } from '../contract/organization.ts'

export const organizationAccess = createAccessControl(organizationActions)

const { owner, admin, member } = organizationGrants

export const organizationRoles = {
  owner: organizationAccess.newRole({ ...owner }),
  admin: organizationAccess.newRole({ ...admin }),
  member: organizationAccess.newRole({ ...member }),
}
