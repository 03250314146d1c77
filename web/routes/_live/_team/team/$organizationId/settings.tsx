import { createFileRoute } from '@tanstack/react-router'
import { OrganizationSettingsPage } from '../../../../../features/team/organization-settings-page.tsx'

export const Route = createFileRoute('/_live/_team/team/$organizationId/settings')({ component: OrganizationSettingsPage })
