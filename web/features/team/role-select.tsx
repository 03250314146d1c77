import { ChevronDown } from 'lucide-react'
import type { OrganizationRole } from '../../../worker/contract/organization.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { t } from './texts/en.ts'

type RoleSelectProps = {
  readonly role: OrganizationRole
  readonly choices: readonly OrganizationRole[]
  readonly onChange: (role: OrganizationRole) => void
}

export function RoleSelect({ role, choices, onChange }: RoleSelectProps) {
  return (
    <Menu
      label={t('role')}
      placement="bottom-end"
      trigger={(props) => (
        <button type="button" {...props} aria-label={t('roleNamed', { role: t(role) })} className={buttonClass()}>
          {t(role)}
          <ChevronDown aria-hidden="true" className="size-3.5 text-muted-foreground" />
        </button>
      )}
    >
      {choices.map((choice) => (
        <MenuItem key={choice} checked={choice === role} onSelect={() => onChange(choice)}>
          {`${t(choice)}: `}
          <span className="text-muted-foreground">{t(`${choice}Hint`)}</span>
        </MenuItem>
      ))}
    </Menu>
  )
}
