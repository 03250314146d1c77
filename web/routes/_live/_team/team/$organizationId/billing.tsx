import { createFileRoute } from '@tanstack/react-router'
import { OrganizationBillingPage } from '../../../../../features/team/billing-page.tsx'

export const Route = createFileRoute('/_live/_team/team/$organizationId/billing')({ component: OrganizationBillingPage })
