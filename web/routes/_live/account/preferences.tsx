import { createFileRoute } from '@tanstack/react-router'
import { PreferencesPage } from '../../../features/account/preferences-page.tsx'

export const Route = createFileRoute('/_live/account/preferences')({ component: PreferencesPage })
