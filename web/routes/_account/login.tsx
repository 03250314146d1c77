import { createFileRoute } from '@tanstack/react-router'
import { ownPath } from '../../../worker/contract/own-path.ts'
import { LoginPage } from '../../features/sign-in/login-page.tsx'

type LoginSearch = { readonly callbackUrl?: string; readonly error?: string }

export const Route = createFileRoute('/_account/login')({
  validateSearch: ({ callbackUrl, error }: Record<string, unknown>): LoginSearch => ({
    ...(callbackUrl !== undefined && { callbackUrl: ownPath(callbackUrl, location.origin, '/') }),
    // The router parses JSON, so it can be an object without a text. Any value shows that the login failed.
    ...(error !== undefined && { error: typeof error === 'string' ? error.slice(0, 80) : '' }),
  }),
  component: Login,
})

function Login() {
  const { callbackUrl = '/', error } = Route.useSearch()
  return <LoginPage callbackUrl={callbackUrl} error={error} />
}
