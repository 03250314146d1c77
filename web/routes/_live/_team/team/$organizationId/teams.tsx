import { createFileRoute } from '@tanstack/react-router'
import { TeamsPage } from '../../../../../features/team/teams-page.tsx'

export const Route = createFileRoute('/_live/_team/team/$organizationId/teams')({ component: TeamsPage })
