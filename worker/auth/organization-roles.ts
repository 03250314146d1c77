/** The contract's grants in the format of better-auth's access control. */
import { createAccessControl } from 'better-auth/plugins/access'
import { organizationActions, organizationGrants } from '../contract/organization.ts'

export const organizationAccess = createAccessControl(organizationActions)

const { owner, admin, member } = organizationGrants

export const organizationRoles = {
  owner: organizationAccess.newRole({ ...owner }),
  admin: organizationAccess.newRole({ ...admin }),
  member: organizationAccess.newRole({ ...member }),
}
