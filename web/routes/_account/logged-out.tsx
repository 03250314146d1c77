import { createFileRoute } from '@tanstack/react-router'
import { LoggedOutPage } from '../../features/sign-in/sign-in-frame.tsx'

type LoggedOutSearch = { readonly deleted?: true }

export const Route = createFileRoute('/_account/logged-out')({
  validateSearch: ({ deleted }: Record<string, unknown>): LoggedOutSearch => (deleted ? { deleted: true } : {}),
  component: LoggedOut,
})

function LoggedOut() {
  const { deleted = false } = Route.useSearch()
  return <LoggedOutPage isDeleted={deleted} />
}
