import { createFileRoute } from '@tanstack/react-router'
import { AppearancePage } from '../../../../features/account/appearance-page.tsx'

export const Route = createFileRoute('/_live/_account/account/appearance')({ component: AppearancePage })
