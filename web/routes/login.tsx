import { createFileRoute } from '@tanstack/react-router'
import { LoginPage } from '../features/sign-in/login-page.tsx'
import { parseCallbackUrl } from '../lib/callback-url.ts'

type LoginSearch = { readonly callbackUrl?: string; readonly error?: true }

export const Route = createFileRoute('/login')({
  validateSearch: ({ callbackUrl, error }: Record<string, unknown>): LoginSearch => ({
    ...(callbackUrl !== undefined && { callbackUrl: parseCallbackUrl(callbackUrl) }),
    ...(error !== undefined && { error: true }),
  }),
  component: Login,
})

function Login() {
  const { callbackUrl = '/', error = false } = Route.useSearch()
  return <LoginPage callbackUrl={callbackUrl} isLinkSpent={error} />
}
