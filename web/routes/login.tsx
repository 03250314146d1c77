import { createFileRoute } from '@tanstack/react-router'
import { LoginPage } from '../features/sign-in/login-page.tsx'
import { parseCallbackUrl } from '../lib/callback-url.ts'

type LoginSearch = { readonly callbackUrl?: string }

export const Route = createFileRoute('/login')({
  validateSearch: (search: Record<string, unknown>): LoginSearch =>
    search.callbackUrl === undefined ? {} : { callbackUrl: parseCallbackUrl(search.callbackUrl) },
  component: Login,
})

function Login() {
  const { callbackUrl = '/' } = Route.useSearch()
  return <LoginPage callbackUrl={callbackUrl} />
}
