/** Who may do what in an organization: specification section 6, as data. Reading is every member's and not listed. */
import { createAccessControl } from 'better-auth/plugins/access'

const statements = {
  organization: ['update', 'delete'],
  member: ['create', 'update', 'delete'],
  invitation: ['create', 'cancel'],
  team: ['create', 'update', 'delete'],
} as const

export const organizationAccess = createAccessControl(statements)

const people = {
  member: ['create', 'update', 'delete'],
  invitation: ['create', 'cancel'],
  team: ['create', 'update', 'delete'],
} as const

export const organizationRoles = {
  owner: organizationAccess.newRole({ organization: ['update', 'delete'], ...people }),
  admin: organizationAccess.newRole({ organization: ['update'], ...people }),
  member: organizationAccess.newRole({ organization: [], member: [], invitation: [], team: [] }),
}
