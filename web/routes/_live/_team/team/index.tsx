import { createFileRoute } from '@tanstack/react-router'
import { TeamHome } from '../../../../features/team/team-home.tsx'

export const Route = createFileRoute('/_live/_team/team/')({ component: TeamHome })
