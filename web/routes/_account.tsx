/** The account group without a session: login, magic link, logged out. Its pages with a session are in `_live/_account`. */
import { createFileRoute, Outlet } from '@tanstack/react-router'
import { usePageTitle } from '../lib/page-head.ts'

export const Route = createFileRoute('/_account')({ component: SignedOut })

function SignedOut() {
  usePageTitle(null)
  return <Outlet />
}
