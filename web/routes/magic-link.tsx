import { createFileRoute } from '@tanstack/react-router'
import { MagicLinkPage } from '../features/sign-in/magic-link-page.tsx'
import { publicUrls } from '../lib/public-urls.ts'

/** As the server sends somebody here who opened a link that they did not ask for; all of it goes back to the server as it came. */
const names = ['token', 'guest', 'callbackURL', 'errorCallbackURL'] as const
type LinkSearch = { readonly [name in (typeof names)[number]]?: string }

export const Route = createFileRoute('/magic-link')({
  validateSearch: (search: Record<string, unknown>): LinkSearch =>
    Object.fromEntries(names.flatMap((name) => (typeof search[name] === 'string' ? [[name, search[name]]] : []))),
  component: MagicLink,
})

function MagicLink() {
  const search = Route.useSearch()
  const query = new URLSearchParams(Object.entries(search)).toString()
  return <MagicLinkPage link={search.token === undefined ? undefined : `${publicUrls().apiUrl}/api/auth/magic-link/verify?${query}`} />
}
