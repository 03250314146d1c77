import { createFileRoute } from '@tanstack/react-router'
import { MembersPage } from '../../../../../features/team/members-page.tsx'

export const Route = createFileRoute('/_live/_team/team/$organizationId/')({ component: MembersPage })
