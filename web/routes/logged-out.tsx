import { createFileRoute } from '@tanstack/react-router'
import { LoggedOutPage } from '../features/sign-in/logged-out-page.tsx'

export const Route = createFileRoute('/logged-out')({ component: LoggedOutPage })
