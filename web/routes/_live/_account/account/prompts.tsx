import { createFileRoute } from '@tanstack/react-router'
import { PromptsPage } from '../../../../features/account/prompts/prompts-page.tsx'

export const Route = createFileRoute('/_live/_account/account/prompts')({ component: PromptsPage })
