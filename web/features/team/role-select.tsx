import { ChevronDown } from 'lucide-react'
import type { OrganizationRole } from '../../../worker/contract/organization.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'

type RoleSelectProps = {
  readonly role: OrganizationRole
  readonly choices: readonly OrganizationRole[]
  readonly onChange: (role: OrganizationRole) => void
}

export function RoleSelect({ role, choices, onChange }: RoleSelectProps) {
  return (
    <Menu
      label="Role"
      placement="bottom-end"
      trigger={(props) => (
        <button type="button" {...props} aria-label={`Role: ${roleNames[role]}`} className={buttonClass({ className: 'h-10' })}>
          {roleNames[role]}
          <ChevronDown aria-hidden="true" className="size-3.5 text-muted-foreground" />
        </button>
      )}
    >
      {choices.map((choice) => (
        <MenuItem key={choice} checked={choice === role} onSelect={() => onChange(choice)}>
          {roleNames[choice]}: <span className="text-muted-foreground">{roleHints[choice]}</span>
        </MenuItem>
      ))}
    </Menu>
  )
}

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
