import { createFileRoute } from '@tanstack/react-router'
import { ModelsPage } from '../../../../features/account/models-page.tsx'

export const Route = createFileRoute('/_live/_account/account/models')({ component: ModelsPage })
