import { createFileRoute } from '@tanstack/react-router'
import { SubscriptionPage } from '../../../../features/account/subscription-page.tsx'

export const Route = createFileRoute('/_live/_account/account/subscription')({ component: SubscriptionPage })
