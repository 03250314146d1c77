import { createFileRoute, Outlet } from '@tanstack/react-router'
import { SettingsFrame } from '../../features/account/settings-frame.tsx'
import { usePageTitle } from '../../lib/page-title.ts'

export const Route = createFileRoute('/_live/account')({ component: Account })

function Account() {
  usePageTitle(null)
  return (
    <SettingsFrame>
      <Outlet />
    </SettingsFrame>
  )
}
