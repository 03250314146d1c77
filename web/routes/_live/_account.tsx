/** The account group with a session: the settings. */
import { createFileRoute, Outlet } from '@tanstack/react-router'
import { usePageTitle } from '../../lib/page-head.ts'

export const Route = createFileRoute('/_live/_account')({ component: AccountGroup })

function AccountGroup() {
  usePageTitle(null)
  return <Outlet />
}
