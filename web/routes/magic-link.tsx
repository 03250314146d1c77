import { createFileRoute } from '@tanstack/react-router'
import { MagicLinkPage } from '../features/sign-in/magic-link-page.tsx'

export const Route = createFileRoute('/magic-link')({ component: MagicLinkPage })
