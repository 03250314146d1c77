import { createFileRoute, Outlet } from '@tanstack/react-router'
import { SettingsFrame } from '../../../features/account/settings-frame.tsx'

export const Route = createFileRoute('/_live/_account/account')({ component: Account })

function Account() {
  return (
    <SettingsFrame>
      <Outlet />
    </SettingsFrame>
  )
}
