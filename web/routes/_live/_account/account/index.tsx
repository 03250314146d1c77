import { createFileRoute } from '@tanstack/react-router'
import { AccountPage } from '../../../../features/account/account-page.tsx'

/** `delete`: id of a user who is back from logging in again before deleting the account. */
type AccountSearch = { readonly delete?: string }

export const Route = createFileRoute('/_live/_account/account/')({
  validateSearch: (search: Record<string, unknown>): AccountSearch =>
    typeof search.delete === 'string' ? { delete: search.delete.slice(0, 80) } : {},
  component: Account,
})

function Account() {
  return <AccountPage reauthenticatedUserId={Route.useSearch().delete} />
}
