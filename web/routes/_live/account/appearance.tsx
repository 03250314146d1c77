import { createFileRoute } from '@tanstack/react-router'
import { AppearancePage } from '../../../features/account/appearance-page.tsx'

export const Route = createFileRoute('/_live/account/appearance')({ component: AppearancePage })
