import { createFileRoute } from '@tanstack/react-router'
import { PreferencesPage } from '../../../../features/account/preferences-page.tsx'

export const Route = createFileRoute('/_live/_account/account/preferences')({ component: PreferencesPage })
