/** The team group: organizations, their members, teams and invitations. */
import { createFileRoute, Outlet } from '@tanstack/react-router'
import { usePageTitle } from '../../lib/page-head.ts'

export const Route = createFileRoute('/_live/_team')({ component: Team })

function Team() {
  usePageTitle(null)
  return <Outlet />
}
